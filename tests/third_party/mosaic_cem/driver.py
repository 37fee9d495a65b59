"""The driver of `cem`: runs inside the worker. Episodes and steps are recorded by themselves."""

from typing import Any

import numpy as np

import mosaic_worker
from mosaic_worker.drivers import kit


def linear(policy: Any) -> kit.Policy:
    """A linear policy, a row of weights and a bias per action, as the operator that decides."""
    return kit.Policy(
        lambda view: int((policy[:, :-1] @ np.ravel(view.observation) + policy[:, -1]).argmax())
    )


class Search:
    """What is known so far: a mean policy, a spread around it, the steps it took."""

    def __init__(self, env: Any, words: kit.Words) -> None:
        self.world, self.words = kit.world_of(env), words
        self.mean = np.zeros((env.action_space.n, np.prod(env.observation_space.shape) + 1))
        self.spread = np.ones_like(self.mean)
        self.step, self.best = 0, -np.inf

    def run(self, stop: kit.Stop, *, population: int = 20, elite: float = 0.25, noise: float = 0.2) -> None:
        """Rounds of drawing and keeping, until the steps are used up or somebody asks to stop."""
        rng = np.random.default_rng(self.words.seed)
        seed = self.words.seed
        while self.step < (self.words.steps or 20_000):
            policies = self.mean + self.spread * rng.standard_normal((population, *self.mean.shape))
            returns = []
            for policy in policies:
                if stop.asked:
                    return
                played = kit.play(self.world, linear(policy), until=kit.Until(episodes=1), seed=seed)
                seed = None  # the first reset is seeded, the others go on from there
                self.step += played.ticks
                returns += played.returns
            kept = policies[np.argsort(returns)[-max(2, int(elite * population)) :]]
            self.mean, self.spread = kept.mean(axis=0), kept.std(axis=0) + noise
            mosaic_worker.metric("rollout/ep_rew_mean", np.mean(returns), self.step)
            mosaic_worker.metric("cem/spread", self.spread.mean(), self.step)
            self.best = max(self.best, float(np.mean(returns)))


def train(words: kit.Words) -> int:
    """Search, and save the mean policy at the end or when told to stop."""
    stop = kit.Stop()
    env = kit.make_env(words)
    mosaic_worker.config(algo=words.algo, env_id=words.env, seed=words.seed, args=dict(words.parameters))
    about = {"runner": "cem", "algorithm": words.algo, "env_id": words.env}
    saver = kit.Saver(suffix=".npy", kind="cem", about={**about, "holds": ["policy"], "lacks": ["spread"]})
    search = Search(env, words)
    try:
        with stop.gently():
            search.run(stop, **words.parameters)
    except kit.Insisted:
        kit.say("told twice to stop")
    with stop.saving():
        saver.save(
            lambda file: np.save(file, search.mean, allow_pickle=False),
            step=search.step,
            reason="stop" if stop.asked else "final",
            metrics={"return_mean": search.best} if np.isfinite(search.best) else {},
        )
    env.close()
    return stop.exit_code


def evaluate(words: kit.Words) -> int:
    """Play a saved policy."""
    kit.Stop()
    with kit.opened(words.checkpoint or "", sha256=words.sha256, pickled=False) as file:
        try:
            policy = np.load(file, allow_pickle=False)
        except ValueError as error:
            raise kit.Refused(f"{words.checkpoint} holds no policy of cem: {error}") from None
    env = kit.make_env(words)
    mosaic_worker.config(algo=words.algo, env_id=words.env, seed=words.seed)
    kit.evaluate(env, linear(policy), seed=words.seed, episodes=words.episodes, step=0)
    env.close()
    return 0


def work(words: kit.Words) -> int:
    """Do one job."""
    return train(words) if words.kind == "train" else evaluate(words)


if __name__ == "__main__":
    raise SystemExit(kit.main(work))
