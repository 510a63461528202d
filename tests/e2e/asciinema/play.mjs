// SPDX-License-Identifier: MIT
// Plays an asciicast with asciinema-player's own engine (without its display) to the end, and prints
// what it gave to the terminal as JSON: play.mjs FILE
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const dist = join(dirname(fileURLToPath(import.meta.url)), "node_modules/asciinema-player/dist");
const module = (prefix) => import(join(dist, readdirSync(dist).find((f) => f.startsWith(prefix))));
const { C: Core } = await module("core-");
const { D: DummyLogger } = await module("logging-");

const text = readFileSync(process.argv[2], "utf8");
const core = new Core({ data: () => text }, { logger: new DummyLogger(), speed: 1 });
const seen = { output: "", resizes: [], size: null, duration: null };
for (const name of ["reset", "metadata"]) {
  core.addEventListener(name, (event) => {
    const size = event.size ?? event;
    if (size.cols) seen.size = [size.cols, size.rows];
  });
}
core.addEventListener("output", (event) => (seen.output += event.data ?? event));
core.addEventListener("resize", (event) => seen.resizes.push([event.cols, event.rows]));
core.addEventListener("error", (error) => {
  console.error(error);
  process.exit(1);
});
core.terminalReady();
await core.init();
await core.seek("100%");
seen.duration = await core.getDuration();
console.log(JSON.stringify(seen));
process.exit(0);
