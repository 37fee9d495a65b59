// A worker in another language: it publishes episodes to the MOSAIC daemon, and reads steps and decisions back.
//
//     npm install @grpc/grpc-js @grpc/proto-loader
//     mosaic run -- node grpc_worker.mjs --episodes 20 --proto PATH/TO/trainer.proto
//
// Both halves survive the daemon's restart: what is not acknowledged is sent again, and reading goes on after
// the last row that was seen. See docs/grpc-worker.md. Nothing else of MOSAIC is needed.

import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import grpc from "@grpc/grpc-js";
import loader from "@grpc/proto-loader";

const { values: options } = parseArgs({
  options: {
    episodes: { type: "string", default: "20" },
    proto: { type: "string" },
    "batches-per-connection": { type: "string", default: "7" }, // then it is dropped, to show that nothing is lost
  },
});
const PROTOCOL = 1;
const BATCH_EVENTS = 200;
const GIVE_UP_SECS = 60;
const GONE = [grpc.status.UNAVAILABLE, grpc.status.CANCELLED];
const { mosaic } = grpc.loadPackageDefinition(
  loader.loadSync(options.proto, { keepCase: true, longs: Number, defaults: true }),
);

// A connection, and what each call carries. The token is read anew: a daemon that restarted may have another.
function connect() {
  const token = readFileSync(process.env.MOSAIC_TOKEN_FILE, "utf8").trim();
  const metadata = new grpc.Metadata();
  metadata.set("authorization", `Bearer ${token}`);
  const target = `unix:${process.env.MOSAIC_SOCKET}`;
  return { metadata, trainer: new mosaic.v1.TrainerService(target, grpc.credentials.createInsecure()) };
}

// Tries until it is done; the daemon may be gone for a while, and the run, and we, go on.
async function persist(attempt) {
  const until = Date.now() + GIVE_UP_SECS * 1000;
  for (;;) {
    const connection = connect();
    try {
      return await attempt(connection);
    } catch (error) {
      if (!GONE.includes(error.code) || Date.now() > until) throw error;
      await sleep(200);
    } finally {
      connection.trainer.close();
    }
  }
}

// ---- publishing: number everything, keep what is not acknowledged

class Publisher {
  pending = []; // the events after `acked`
  acked = 0;

  async emit(event) {
    this.pending.push(Buffer.from(JSON.stringify(event)));
    if (this.pending.length >= BATCH_EVENTS) await this.flush();
  }

  async flush() {
    while (this.pending.length) await persist((connection) => this.#send(connection));
  }

  async #send({ trainer, metadata }) {
    const hello = {
      run_id: process.env.MOSAIC_RUN_ID,
      worker_id: "node-walker",
      protocol: PROTOCOL,
      program: "grpc_worker.mjs",
    };
    const registered = await new Promise((done, failed) =>
      trainer.RegisterWorker(hello, metadata, (error, reply) => (error ? failed(error) : done(reply))),
    );
    this.#acknowledged(registered.acked_seq); // the journal may be further than the last answer we heard
    const call = trainer.PublishRunEvents(metadata);
    call.end({ session: registered.session, first_seq: this.acked + 1, lines: this.pending });
    for await (const answer of call) this.#acknowledged(answer.acked_seq);
  }

  #acknowledged(seq) {
    this.pending.splice(0, seq - this.acked);
    this.acked = seq;
  }
}

async function play(publisher, episode) {
  const episode_id = `walk.${episode}`;
  const role = episode % 5 === 4 ? "eval" : "train";
  await publisher.emit({ type: "reset", episode_id, seed: episode, role, obs: 0, t: Date.now() / 1000 });
  let [place, total, step] = [0, 0, 0];
  for (let done = false; !done; step += 1) {
    const action = Math.random() < 0.5 ? -1 : 1;
    place += action;
    total += 0.5 * action;
    done = Math.abs(place) >= 5;
    const decision = { type: "decision", episode_id, step, operator: "coin", proposed: action, executed: action };
    await publisher.emit({ ...decision, t: Date.now() / 1000 });
    const event = { type: "step", episode_id, step, action, reward: 0.5 * action, terminated: done, obs: place };
    await publisher.emit({ ...event, t: Date.now() / 1000 });
  }
  const ended = { episode_id, steps: step, return: total, outcome: "terminated" };
  await publisher.emit({ type: "episode", ...ended, t: Date.now() / 1000 });
  return { ...ended, role };
}

// ---- reading back: a batch costs a credit, and `next_seq` is where the next connection goes on

async function readBack(wanted, batchesPerConnection) {
  const read = { rows: [], seq: 0, connections: 0 };
  while (read.rows.length < wanted) {
    await persist(async ({ trainer, metadata }) => {
      read.connections += 1;
      const call = trainer.StreamRunSteps(metadata);
      call.write({ run: process.env.MOSAIC_RUN_ID, since_seq: read.seq, credits: 2, batch_rows: 50 });
      let left = batchesPerConnection;
      for await (const batch of call) {
        read.rows.push(...batch.rows);
        read.seq = batch.next_seq; // only now: what came before is in our hands
        left -= 1;
        if (read.rows.length >= wanted || left === 0) break; // leaving the loop drops the stream
        call.write({ credits: 1 }); // one more, for the one that was used up
      }
      call.cancel();
    });
  }
  return read;
}

// One episode's decisions, page by page: it costs what that episode has, however many the run has.
async function decisionsOf(episode_id) {
  const asked = { run: process.env.MOSAIC_RUN_ID, kinds: ["decision"], episode_id, limit: 10 };
  const found = [];
  for (let page = { more: true, next_seq: 0 }; page.more; found.push(...page.rows)) {
    const next = { ...asked, since_seq: page.next_seq };
    page = await persist(
      ({ trainer, metadata }) =>
        new Promise((done, failed) =>
          trainer.ListEvents(next, metadata, (error, reply) => (error ? failed(error) : done(reply))),
        ),
    );
  }
  return found.map((row) => JSON.parse(row.json));
}

const publisher = new Publisher();
const told = [];
for (let episode = 0; episode < Number(options.episodes); episode += 1) told.push(await play(publisher, episode));
await publisher.flush();
const steps = told.reduce((sum, one) => sum + one.steps, 0);
const read = await readBack(steps, Number(options["batches-per-connection"]));
const decisions = await decisionsOf(told[0].episode_id);
for (const one of told) console.log(JSON.stringify(one));
const rows = read.rows.map((row) => [row.episode_id, row.step, JSON.parse(row.action_json), row.reward, row.seq]);
console.log(JSON.stringify({ read: rows, connections: read.connections, decisions }));
