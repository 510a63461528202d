// SPDX-License-Identifier: MIT
// Drives troupe-mcp with the clients that people use: v1 of the SDK (legacy era) and v2 (modern era).
// Usage: node --test; TROUPE_MCP and TROUPE_DAEMON name the programs under test.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ResourceListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { Client as ModernClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernTransport } from '@modelcontextprotocol/client/stdio';

const program = process.env.TROUPE_MCP;
assert.ok(program, 'TROUPE_MCP must name the server');
const root = mkdtempSync(join(tmpdir(), 'troupe-mcp-'));
// A home of its own: what a person's shell loads can take its time and ask for locks.
const environment = { ...process.env, HOME: root, TROUPE_RECORDINGS_DIR: join(root, 'recordings') };
const args = ['--name', 'mcp', '--runtime-dir', root];
const info = { name: 'troupe-e2e', version: '1.0.0' };

async function legacy() {
  const client = new LegacyClient(info);
  await client.connect(new LegacyTransport({ command: program, args, env: environment, stderr: 'inherit' }));
  return client;
}

async function modern() {
  const client = new ModernClient(info, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new ModernTransport({ command: program, args, env: environment, stderr: 'inherit' }));
  return client;
}

/** Calls a tool and returns its structured result; the text must be the same JSON. */
async function call(client, name, input = {}, options = undefined) {
  const result = await client.callTool({ name, arguments: input }, ...(client instanceof LegacyClient ? [undefined, options] : [options]));
  assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
  assert.ok(!result.isError, result.content[0].text);
  return result.structuredContent;
}

/** Asks for the journal until `holds` of its records, ten seconds at most. */
async function journalUntil(client, instance_id, holds) {
  for (const end = Date.now() + 10_000; Date.now() < end;) {
    const { records } = await call(client, 'terminal_journal', { instance_id });
    if (holds(records)) {
      return;
    }
  }
  assert.fail('the journal does not come to say so');
}

async function refused(client, name, input) {
  const result = await client.callTool({ name, arguments: input });
  assert.equal(result.isError, true);
  assert.equal(result.structuredContent.ok, false);
  return result.structuredContent.error;
}

after(async () => {
  const troupe = process.env.TROUPE_CLI;
  if (troupe) {
    const stop = spawn(troupe, ['stop', ...args], { stdio: 'ignore' });
    await once(stop, 'exit');
  }
  rmSync(root, { recursive: true, force: true });
});

for (const [era, connect] of [['legacy', legacy], ['modern', modern]]) {
  describe(`${era} era`, () => {
    let client;
    let id;
    before(async () => {
      client = await connect();
      id = (await call(client, 'terminal_launch', { label: era, env: { PS1: '$ ' } })).instance_id;
    });
    after(async () => {
      await call(client, 'terminal_close', { instance_id: id, force: true });
      await client.close();
    });

    test('lists the tools with schemas', async () => {
      const { tools } = await client.listTools();
      assert.equal(tools.length, 15);
      assert.ok(tools.every((tool) => tool.outputSchema && tool.annotations));
    });

    test('launch names the terminal by twelve hex digits', () => {
      assert.match(id, /^[0-9a-f]{12}$/);
    });

    test('run returns the output and the exit code', async () => {
      const ran = await call(client, 'terminal_run', { instance_id: id, command: 'printf "one\\ntwo\\n"; (exit 3)' });
      assert.equal(ran.output, 'one\ntwo\n');
      assert.equal(ran.exit_code, 3);
      assert.equal(ran.timed_out, false);
    });

    test('a long output is cut in the middle and can be paged', async () => {
      const ran = await call(client, 'terminal_run', { instance_id: id, command: 'seq 1 5000', max_lines: 30 });
      assert.equal(ran.cut, true);
      assert.ok(ran.output.startsWith('1\n2\n'));
      assert.ok(ran.output.endsWith('4999\n5000\n'));
      assert.ok(ran.omitted_lines > 4900);
    });

    test('a command that outlives its timeout goes on and is picked up again', async () => {
      const ran = await call(client, 'terminal_run', { instance_id: id, command: 'echo begin; read line; echo "got $line"', timeout: 0.5 });
      assert.equal(ran.timed_out, true);
      assert.equal(ran.record.running, true);
      await call(client, 'terminal_send_input', { instance_id: id, text: 'x', enter: true });
      const done = await call(client, 'terminal_output', { instance_id: id, index: ran.record.index, wait: true });
      assert.equal(done.record.exit_code, 0);
      assert.match(done.output, /got x/);
    });

    test('wait_for sees what is new and not what was there', async () => {
      await call(client, 'terminal_run', { instance_id: id, command: 'echo stale-marker' });
      const late = await call(client, 'terminal_wait_for', { instance_id: id, since: 'now', text: 'stale-marker', timeout: 0.3 });
      assert.equal(late.matched, false);
      assert.equal(late.timed_out, true);
      await call(client, 'terminal_send_input', { instance_id: id, text: 'echo fresh-$((6*7))', enter: true });
      const fresh = await call(client, 'terminal_wait_for', { instance_id: id, prompt: 'fresh-4[0-9]', timeout: 10 });
      assert.equal(fresh.matched, true);
      assert.equal(fresh.reason, 'regex');
      await journalUntil(client, id, (records) => records.every((record) => !record.running));
    });

    test('keys interrupt a program', async () => {
      const cat = await call(client, 'terminal_run', { instance_id: id, command: 'cat', timeout: 2 });
      assert.equal(cat.record.running, true);
      await call(client, 'terminal_keys', { instance_id: id, keys: ['ctrl+c'] });
      const ended = await call(client, 'terminal_output', { instance_id: id, index: cat.record.index, wait: true });
      assert.equal(ended.record.exit_code, 130);
      const ran = await call(client, 'terminal_run', { instance_id: id, command: 'echo back' });
      assert.equal(ran.output, 'back\n');
    });

    test('snapshot, read, history, search, journal and resize answer', async () => {
      await call(client, 'terminal_resize', { instance_id: id, cols: 100, rows: 30 });
      const snapshot = await call(client, 'terminal_snapshot', { instance_id: id });
      assert.equal(snapshot.cols, 100);
      assert.equal(snapshot.state, 'running');
      assert.ok((await call(client, 'terminal_read', { instance_id: id })).screen.length > 0);
      const page = await call(client, 'terminal_read', { instance_id: id, since: 'oldest', max_bytes: 256 });
      assert.ok(page.screen.length > 0);
      assert.ok((await call(client, 'terminal_history', { instance_id: id, lines: 5 })).lines.length > 0);
      const narrow = await call(client, 'terminal_history', { instance_id: id, cursor: 'oldest', lines: 10_000, max_bytes: 300 });
      assert.ok(narrow.more && narrow.lines.join('\n').length <= 300);
      const next = await call(client, 'terminal_history', { instance_id: id, cursor: narrow.next, lines: 1 });
      const whole = await call(client, 'terminal_history', { instance_id: id, cursor: 'oldest', lines: narrow.lines.length + 1 });
      assert.deepEqual([...narrow.lines, ...next.lines], whole.lines);
      const few = await call(client, 'terminal_read', { instance_id: id, since: 'oldest', max_lines: 3 });
      assert.ok(few.more && few.screen.split('\n').length <= 4);
      const found = await call(client, 'terminal_search', { instance_id: id, pattern: 'stale-marker' });
      assert.ok(found.matches.length >= 1);
      const journal = await call(client, 'terminal_journal', { instance_id: id });
      assert.ok(journal.records.some((record) => record.exit_code === 3));
    });

    test('errors have one shape', async () => {
      assert.equal((await refused(client, 'terminal_snapshot', { instance_id: '00000000beef' })).code, 'not_found');
      assert.equal((await refused(client, 'terminal_snapshot', { instance_id: 'nonsense' })).code, 'bad_request');
      assert.equal((await refused(client, 'terminal_wait_for', { instance_id: id })).code, 'bad_request');
      assert.equal((await refused(client, 'terminal_wait_for', { instance_id: id, prompt: '(' })).code, 'bad_request');
      const failed = await refused(client, 'terminal_launch', { command: '/no/such/program', args: ['x'] });
      assert.match(failed.message, /No such file/);
    });

    test('a protected terminal needs force', async () => {
      const guarded = await call(client, 'terminal_launch', { command: '/bin/cat', protected: true });
      await refused(client, 'terminal_close', { instance_id: guarded.instance_id });
      assert.equal((await call(client, 'terminal_close', { instance_id: guarded.instance_id, force: true })).closed, true);
    });

    test('a wait notices the end of the program', async () => {
      const short = await call(client, 'terminal_launch', { command: '/bin/sh', args: ['-c', 'read x; exit 4'] });
      await call(client, 'terminal_send_input', { instance_id: short.instance_id, text: '', enter: true });
      const waited = await call(client, 'terminal_wait_for', { instance_id: short.instance_id, text: 'never', timeout: 20 });
      assert.equal(waited.matched, false);
      assert.equal(waited.reason, 'exit');
      assert.equal(waited.exit_code, 4);
      await call(client, 'terminal_close', { instance_id: short.instance_id });
    });

    test('what happens is recorded, and stays readable when the program ended', async () => {
      const mode = (path) => (statSync(path).mode & 0o777).toString(8);
      const script = 'stty -echo; printf "word: "; read x; stty echo; exit 3';
      const { instance_id, log_path } = await call(client, 'terminal_launch', { command: '/bin/sh', args: ['-c', script], label: 'log in' });
      assert.match(log_path, new RegExp(`^${root}/recordings/\\d{8}T\\d{6}Z-pty-${instance_id}-log_in\\.jsonl$`));
      await call(client, 'terminal_wait_for', { instance_id, since: 'oldest', text: 'word: ', timeout: 20 });
      const first = await call(client, 'terminal_send_input', { instance_id, text: 'hunter2' });
      const second = await call(client, 'terminal_send_input', { instance_id, text: 'hunter2', password: true, enter: true });
      assert.ok(second.event_count > first.event_count && first.event_count >= 3);
      await call(client, 'terminal_wait_for', { instance_id, since: 'now', text: 'never', timeout: 20 });
      let text = '';
      for (let tries = 0; tries < 400 && !text.includes('terminal_stop'); tries += 1) {
        text = readFileSync(log_path, 'utf8');
        await new Promise((done) => { setTimeout(done, 50); });
      }
      assert.ok(!text.includes('hunter2'));
      const rows = text.trimEnd().split('\n').map((line) => JSON.parse(line));
      assert.deepEqual(rows.map((row) => row.seq), rows.map((_, n) => n));
      assert.equal(rows.filter((row) => row.action === 'terminal_input').length, 2);
      assert.equal(rows.at(-1).exit_code, 3);
      assert.equal(mode(log_path), '600');
      assert.equal(mode(join(root, 'recordings')), '700');
      const { terminals } = await call(client, 'terminal_list');
      assert.equal(terminals.find((terminal) => terminal.instance_id === instance_id).log_path, log_path);
      await call(client, 'terminal_close', { instance_id });
    });

    test('screens are resources', async () => {
      const { resources } = await client.listResources();
      const uri = `troupe://terminal/${id}/screen`;
      assert.ok(resources.some((resource) => resource.uri === uri));
      const read = await client.readResource({ uri });
      assert.ok(read.contents[0].text.length > 0);
    });
  });
}

/** No part of a result is larger than what was asked for, the line that names a gap included. */
function assertBounded(result, { max_lines: lines, max_bytes: bytes }) {
  for (const key of ['screen', 'output', 'text']) {
    if (result[key] !== undefined) {
      assert.ok(Buffer.byteLength(result[key]) <= bytes, `${key} has ${Buffer.byteLength(result[key])} bytes`);
      const count = result[key].replace(/\n$/, '').split('\n').length;
      assert.ok(count <= lines, `${key} has ${count} lines`);
    }
  }
  assert.ok(JSON.stringify(result).length < 8 * bytes + 4096);
}

for (const [era, connect] of [['legacy', legacy], ['modern', modern]]) {
  test(`${era}: a hundred calls on twenty terminals answer beside a flood and a hang`, async () => {
    const client = await connect();
    const launched = await Promise.all(Array.from({ length: 20 }, (_, n) => call(client, 'terminal_launch', { label: `t${n}`, env: { PS1: '$ ' }, record: false })));
    const [flood, hangs, ...others] = launched.map((terminal) => terminal.instance_id);
    await call(client, 'terminal_send_input', { instance_id: flood, text: 'yes flood', enter: true });
    await call(client, 'terminal_wait_for', { instance_id: flood, text: 'flood\nflood', timeout: 20 });
    let hanging = true;
    const hang = client.callTool({ name: 'terminal_run', arguments: { instance_id: hangs, command: 'sleep 600', timeout: 45 } })
      .finally(() => { hanging = false; });
    const caps = { max_lines: 10, max_bytes: 1024 };
    const asked = [];
    const ask = (name, input) => asked.push(call(client, name, { ...input, ...caps }, { timeout: 30_000 }).then((result) => [name, result]));
    for (const instance_id of others) {
      ask('terminal_run', { instance_id, command: 'seq 1 2000', timeout: 25 });
      ask('terminal_snapshot', { instance_id });
      ask('terminal_read', { instance_id, since: 'oldest' });
      ask('terminal_wait_for', { instance_id, since: 'oldest', text: '2000', timeout: 25 });
      ask('terminal_snapshot', { instance_id });
    }
    for (let more = 0; more < 4; more += 1) {  // the flood's screen never rests, and the hang's can be looked at
      ask('terminal_snapshot', { instance_id: flood });
      ask('terminal_read', { instance_id: flood, since: 'oldest' });
    }
    ask('terminal_snapshot', { instance_id: hangs });
    ask('terminal_wait_for', { instance_id: flood, since: 'now', text: 'flood', timeout: 25 });
    assert.equal(asked.length, 100);
    const results = await Promise.all(asked);
    assert.equal(hanging, true, 'nobody waited for the call that hangs');
    for (const [name, result] of results) {
      assertBounded(result, caps);
      assert.notEqual(result.timed_out, true, `${name} timed out`);
    }
    const ran = results.filter(([name]) => name === 'terminal_run').map(([, result]) => result);
    assert.ok(ran.every((result) => result.exit_code === 0 && result.cut && result.output.endsWith('2000\n')));
    // Without caps of their own results have the default ones.
    const page = await call(client, 'terminal_read', { instance_id: flood, since: 'oldest' });
    assert.ok(JSON.stringify(page).length < 80_000);
    // All that can be quicker than a shell starts: one without a command would not notice the signal.
    await journalUntil(client, hangs, (records) => records.some((record) => record.command === 'sleep 600' && record.running));
    await call(client, 'terminal_signal', { instance_id: hangs, signal: 'INT' });
    const interrupted = await hang;
    assert.equal(interrupted.structuredContent.timed_out, false);
    await Promise.all([flood, hangs, ...others].map((instance_id) => call(client, 'terminal_close', { instance_id })));
    await client.close();
  });
}

for (const [era, connect] of [['legacy', legacy], ['modern', modern]]) {
  test(`${era}: terminals outlive a server that is killed`, async () => {
    const first = await connect();
    const { instance_id } = await call(first, 'terminal_launch', { label: 'survivor', env: { PS1: '$ ' } });
    await call(first, 'terminal_run', { instance_id, command: 'kept=here' });
    process.kill(first.transport.pid, 'SIGKILL');
    const second = await connect();
    const listed = await call(second, 'terminal_list');
    const survivor = listed.terminals.find((terminal) => terminal.instance_id === instance_id);
    assert.equal(survivor.state, 'running');
    assert.equal(survivor.label, 'survivor');
    assert.equal((await call(second, 'terminal_run', { instance_id, command: 'echo $kept' })).output, 'here\n');
    await call(second, 'terminal_close', { instance_id });
    await second.close();
  });
}

/** Collects notifications of a method, and waits until one is as wanted. */
function collected(client, method) {
  const got = [];
  let look = () => {};
  client.setNotificationHandler(method, (notification) => { got.push(notification.params ?? {}); look(); });
  return {
    got,
    until: (wanted) => new Promise((done, failed) => {
      const late = setTimeout(() => failed(new Error(`${method} does not come`)), 20_000);
      look = () => { if (got.some(wanted)) { clearTimeout(late); done(); } };
      look();
    }),
  };
}

const subscriptionId = 'io.modelcontextprotocol/subscriptionId';

test('modern: a subscription tells what changed, with its id, until it is closed', async () => {
  const client = await modern();
  const { resources } = client.getServerCapabilities();
  assert.deepEqual([resources.subscribe, resources.listChanged], [true, true]);
  const { instance_id } = await call(client, 'terminal_launch', { env: { PS1: '$ ' } });
  const uri = (view, id = instance_id) => `troupe://terminal/${id}/${view}`;
  const updated = collected(client, 'notifications/resources/updated');
  const listed = collected(client, 'notifications/resources/list_changed');
  const asked = [uri('screen'), uri('screen', '00000000beef'), 'file:///x', uri('screen')];
  const first = await client.listen({ resourcesListChanged: true, toolsListChanged: true, resourceSubscriptions: asked });
  assert.deepEqual(first.honoredFilter, { resourcesListChanged: true, resourceSubscriptions: [uri('screen')] });
  const second = await client.listen({ resourceSubscriptions: [uri('screen'), uri('journal')] });
  await call(client, 'terminal_run', { instance_id, command: 'echo changed' });
  for (const [id, view] of [['listen:0', 'screen'], ['listen:1', 'screen'], ['listen:1', 'journal']]) {
    await updated.until((params) => params._meta[subscriptionId] === id && params.uri === uri(view));
  }
  // Each was told once, and hears again only after a read.
  assert.equal(updated.got.length, 3);
  await second.close();
  updated.got.length = 0;
  // The prompt behind the command may come only now, and is told: nothing after the read is forgotten.
  await client.readResource({ uri: uri('screen') });
  await call(client, 'terminal_run', { instance_id, command: 'echo again' });
  await updated.until((params) => params._meta[subscriptionId] === 'listen:0');
  assert.ok(updated.got.every((params) => params._meta[subscriptionId] === 'listen:0'));
  const other = await call(client, 'terminal_launch', { command: '/bin/cat' });
  await listed.until((params) => params._meta[subscriptionId] === 'listen:0');
  await first.close();
  assert.equal(await first.closed, 'local');
  listed.got.length = 0;
  await call(client, 'terminal_close', { instance_id: other.instance_id });
  await call(client, 'terminal_close', { instance_id });
  assert.deepEqual(listed.got, []);
  await client.close();
});

for (const [era, connect] of [['legacy', legacy], ['modern', modern]]) {
  test(`${era}: what others make, rename, end and close is told`, async () => {
    const client = await connect();
    const other = await modern();
    const watched = (await call(client, 'terminal_launch', { command: '/bin/sh', args: ['-c', 'read x'] })).instance_id;
    // SDK v1 names notifications by their schemas.
    const listed = collected(client, era === 'modern' ? 'notifications/resources/list_changed' : ResourceListChangedNotificationSchema);
    const uri = `troupe://terminal/${watched}/screen`;
    if (era === 'modern') {
      await client.listen({ resourcesListChanged: true, resourceSubscriptions: [uri] });
    } else {
      await client.subscribeResource({ uri });
    }
    const told = async (act) => {
      // What the launches before brought may still be on its way: only silence tells that it is over.
      for (let seen = -1; seen !== listed.got.length; await new Promise((done) => { setTimeout(done, 100); })) {
        seen = listed.got.length;
      }
      listed.got.length = 0;
      await act();
      await listed.until(() => true);
    };
    let made;
    await told(async () => { made = (await call(other, 'terminal_launch', { command: '/bin/cat' })).instance_id; });
    await told(() => call(other, 'terminal_close', { instance_id: made }));
    await told(() => call(other, 'terminal_send_input', { instance_id: watched, text: '', enter: true }));
    await told(() => call(other, 'terminal_close', { instance_id: watched }));
    await client.close();
    await other.close();
  });
}

test('modern: a subscription beyond the bounds is refused by name', async () => {
  const client = await modern();
  const uris = Array.from({ length: 257 }, (_, n) => `troupe://terminal/${n}`);
  await assert.rejects(client.listen({ resourceSubscriptions: uris }), /too many resources: a subscription holds at most 256/);
  const open = await Promise.all(Array.from({ length: 64 }, () => client.listen({})));
  await assert.rejects(client.listen({}), /too many subscriptions: at most 64 are open at once/);
  await open[0].close();
  assert.deepEqual((await client.listen({ toolsListChanged: true })).honoredFilter, {});
  await client.close();
});

test('what a recording masks can be chosen at the launch', async () => {
  const client = await modern();
  for (const [redact, keys] of [['off', 'hunter2\r'], ['all', '***'], [undefined, '***']]) {
    const { instance_id, log_path } = await call(client, 'terminal_launch', { command: '/bin/cat', label: `redact-${redact}`, ...(redact ? { redact } : {}) });
    // A password for every mode but `off`, which masks nothing.
    await call(client, 'terminal_send_input', { instance_id, text: 'hunter2', enter: true, password: true });
    await call(client, 'terminal_wait_for', { instance_id, since: 'oldest', text: 'hunter2', timeout: 20 });
    await call(client, 'terminal_close', { instance_id });
    let rows = [];
    for (let tries = 0; tries < 400 && !rows.some((row) => row.action === 'terminal_stop'); tries += 1) {
      rows = readFileSync(log_path, 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line));
      await new Promise((done) => { setTimeout(done, 50); });
    }
    assert.deepEqual(rows.filter((row) => row.action === 'terminal_input').map((row) => row.keys), [keys]);
    assert.equal(rows.at(-1).reason, 'closed');
  }
  const error = await refused(client, 'terminal_launch', { command: '/bin/cat', redact: 'some' });
  assert.match(error.message, /off, passwords or all/);
  await client.close();
});

test('progress keeps a long wait alive and a cancelled call is not answered', async () => {
  const client = await legacy();
  const { instance_id } = await call(client, 'terminal_launch', { command: '/bin/cat' });
  const abort = new AbortController();
  let reported = 0;
  const waiting = client.callTool(
    { name: 'terminal_wait_for', arguments: { instance_id, text: 'never', timeout: 120 } }, undefined,
    { signal: abort.signal, onprogress: () => { reported += 1; if (reported === 1) abort.abort('enough'); } });
  // Progress must not wait for a pause in what else is said.
  const chatter = setInterval(() => { client.ping().catch(() => {}); }, 100);
  await assert.rejects(waiting).finally(() => { clearInterval(chatter); });
  assert.equal(reported, 1);
  assert.equal((await call(client, 'terminal_list')).terminals.length >= 1, true);
  await call(client, 'terminal_close', { instance_id });
  await client.close();
});

test('input counts its bytes, waits in a queue where nobody reads, and an ended terminal refuses it', async () => {
  const client = await modern();
  const { instance_id } = await call(client, 'terminal_launch', { command: '/bin/cat' });
  const typed = await call(client, 'terminal_send_input', { instance_id, text: 'five', enter: true });
  assert.deepEqual([typed.accepted, typed.queued], [5, false]);
  const pressed = await call(client, 'terminal_keys', { instance_id, keys: ['ctrl+d'] });
  assert.deepEqual([pressed.accepted, pressed.queued], [1, false]);
  assert.equal((await call(client, 'terminal_wait_for', { instance_id, exit: true, timeout: 20 })).reason, 'exit');
  for (const [name, input] of [['terminal_send_input', { text: 'late' }], ['terminal_send_input', { text: '' }], ['terminal_keys', { keys: ['enter'] }]]) {
    assert.equal((await refused(client, name, { instance_id, ...input })).code, 'exited');
  }
  await call(client, 'terminal_close', { instance_id });
  const deaf = await call(client, 'terminal_launch', { command: '/bin/sh', args: ['-c', 'stty raw -echo; echo deaf; exec sleep 600'] });
  await call(client, 'terminal_wait_for', { instance_id: deaf.instance_id, since: 'oldest', text: 'deaf', timeout: 20 });
  const waits = await call(client, 'terminal_send_input', { instance_id: deaf.instance_id, text: 'x'.repeat(200_000) });
  assert.deepEqual([waits.ok, waits.queued, waits.accepted], [true, true, undefined]);
  await call(client, 'terminal_close', { instance_id: deaf.instance_id });
  await client.close();
});

test('output waits for the latest command, and not where it has ended', async () => {
  const client = await modern();
  const { instance_id } = await call(client, 'terminal_launch', { env: { PS1: '$ ' } });
  await call(client, 'terminal_run', { instance_id, command: 'echo over' });
  const ended = await call(client, 'terminal_output', { instance_id, wait: true, timeout: 45 }, { timeout: 30_000 });
  assert.deepEqual([ended.output, ended.timed_out], ['over\n', false]);
  const ran = await call(client, 'terminal_run', { instance_id, command: 'read line; echo "got $line"', timeout: 0.5 });
  assert.equal(ran.timed_out, true);
  const early = await call(client, 'terminal_output', { instance_id, wait: true, timeout: 0.3 });
  assert.deepEqual([early.record.index, early.timed_out], [ran.record.index, true]);
  const waiting = call(client, 'terminal_output', { instance_id, wait: true, timeout: 25 });
  await call(client, 'terminal_send_input', { instance_id, text: 'x', enter: true });
  const done = await waiting;
  assert.equal(done.timed_out, false);
  assert.match(done.output, /got x/);
  await call(client, 'terminal_close', { instance_id });
  await client.close();
});

test('a wait that timed out goes on at its next and finds what was half printed', async () => {
  const client = await modern();
  const script = 'stty -echo; printf "one\\ntwo\\nPARTIAL-he"; read x; printf "llo-DONE"; read x; printf "\\nlast"; read x';
  const { instance_id } = await call(client, 'terminal_launch', { command: '/bin/sh', args: ['-c', script] });
  await call(client, 'terminal_wait_for', { instance_id, since: 'oldest', text: 'PARTIAL-he', timeout: 20 });
  const waits = [{ text: 'hello-DO' }, { prompt: '^PARTIAL-hello' }, { text: 'two\nPARTIAL-hello' }];
  const early = await Promise.all(waits.map((wait) => call(client, 'terminal_wait_for', { instance_id, since: 'oldest', timeout: 0.3, ...wait })));
  assert.deepEqual(early.map((wait) => wait.reason), ['timeout', 'timeout', 'timeout']);
  const rest = await Promise.all(early.map(({ next }) => call(client, 'terminal_read', { instance_id, since: next })));
  assert.deepEqual(rest.map(({ screen }) => screen), ['PARTIAL-he', 'PARTIAL-he', 'two\nPARTIAL-he']);
  await call(client, 'terminal_send_input', { instance_id, text: 'x', enter: true });
  const late = await Promise.all(waits.map((wait, at) => call(client, 'terminal_wait_for', { instance_id, since: early[at].next, timeout: 20, ...wait })));
  assert.ok(late.every((wait) => wait.matched));
  await call(client, 'terminal_close', { instance_id });
  await client.close();
});

test('a wait matches nothing that this server has shown or was not there for', async () => {
  const first = await modern();
  const { instance_id } = await call(first, 'terminal_launch', { env: { PS1: '$ ' } });
  assert.equal((await call(first, 'terminal_wait_for', { instance_id, prompt: '[$#] ', timeout: 20 })).matched, true);
  await call(first, 'terminal_run', { instance_id, command: 'echo hello-old' });
  const shown = await call(first, 'terminal_wait_for', { instance_id, text: 'hello-old', timeout: 0.3 });
  assert.equal(shown.matched, false);
  await first.close();
  const second = await modern();
  const wait = (more) => call(second, 'terminal_wait_for', { instance_id, text: 'hello-old', ...more });
  assert.equal((await wait({ timeout: 0.3 })).matched, false);
  assert.equal((await wait({ timeout: 0.3, since: 'oldest' })).matched, true);
  await call(second, 'terminal_close', { instance_id });
  // What comes between two waits of a server that has not used the terminal is not lost to the second.
  const other = await modern();
  const counts = await call(second, 'terminal_launch', { command: '/bin/cat' });
  const unused = { instance_id: counts.instance_id, text: 'between' };
  assert.equal((await call(other, 'terminal_wait_for', { ...unused, timeout: 0.1 })).matched, false);
  await call(second, 'terminal_send_input', { instance_id: counts.instance_id, text: 'between', enter: true });
  await call(second, 'terminal_wait_for', { instance_id: counts.instance_id, text: 'between', timeout: 20 });
  assert.equal((await call(other, 'terminal_wait_for', { ...unused, timeout: 20 })).matched, true);
  await call(second, 'terminal_close', { instance_id: counts.instance_id });
  await other.close();
  await second.close();
});

test('lists are bounded by bytes and can be gone on with', async () => {
  const client = await modern();
  const { instance_id } = await call(client, 'terminal_launch', { env: { PS1: '$ ' }, cols: 200 });
  const script = `: ${'long '.repeat(600)}`;
  for (let n = 0; n < 3; n += 1) {
    const ran = await call(client, 'terminal_run', { instance_id, command: script });
    assert.ok(ran.record.command.length <= 512 && ran.record.command_cut);
  }
  await call(client, 'terminal_run', { instance_id, command: 'for n in $(seq 1 900); do printf "hit-$n %0180d\\n" 0; done', max_lines: 3 });
  const { records } = await call(client, 'terminal_journal', { instance_id });
  assert.ok(records.length >= 4 && records.every((record) => (record.command ?? '').length <= 512));
  const lines = [];
  for (let cursor = 'oldest', more = true; more;) {
    const found = await call(client, 'terminal_search', { instance_id, pattern: '^hit-[0-9]+', regex: true, limit: 1000, cursor });
    assert.ok(JSON.stringify(found.matches).length <= 32_768 + 2);
    lines.push(...found.matches.map(({ line }) => line.split(' ')[0]));
    ({ next: cursor, more } = found);
  }
  assert.deepEqual(lines, Array.from({ length: 900 }, (_, n) => `hit-${n + 1}`));
  await call(client, 'terminal_close', { instance_id });
  await client.close();
});

test('what a schema requires is required, and errors name the terminal as the caller does', async () => {
  const client = await legacy();
  const { instance_id } = await call(client, 'terminal_launch', { command: '/bin/cat', cols: 80.0 });
  for (const [name, input, missing] of [['terminal_send_input', {}, 'text'], ['terminal_resize', { cols: 90 }, 'rows'], ['terminal_run', {}, 'command'],
    ['terminal_keys', { keys: null }, 'keys'], ['terminal_search', {}, 'pattern']]) {
    const error = await refused(client, name, { instance_id, ...input });
    assert.deepEqual([error.code, error.message], ['bad_request', `${missing} is required`]);
  }
  assert.equal((await refused(client, 'terminal_snapshot', {})).message, 'instance_id is required');
  assert.match((await refused(client, 'terminal_snapshot', { instance_id: '00000000beef' })).message, /^terminal 00000000beef not found/);
  await call(client, 'terminal_close', { instance_id });
  assert.match((await refused(client, 'terminal_launch', { cwd: join(root, 'nowhere') })).message, /cwd is not a directory/);
  await client.close();
});
