import { type ChildProcess, spawn } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { cachedProgram, findGo, goInstall } from '../../local-stack/go-install.ts';
import { freePorts } from './free-ports.ts';

const program = {
  name: 'stripe-mock-v0.203.0',
  label: 'stripe-mock',
  module: 'github.com/stripe/stripe-mock',
  version: 'v0.203.0',
  directory: '',
  go: '1.24',
};

/** A call with stripe-mock's verdict. */
export interface JudgedCall {
  call: string;
  status: number;
  body: string;
}

/** stripe-mock in its own process, behind a relay that records every call and the status of its answer. */
export class StripeMock {
  readonly calls: JudgedCall[] = [];
  readonly #child: ChildProcess;
  readonly #relay: Server;
  readonly url: string;

  private constructor(child: ChildProcess, relay: Server, calls: JudgedCall[]) {
    this.#child = child;
    this.#relay = relay;
    this.calls = calls;
    this.url = `http://127.0.0.1:${(relay.address() as AddressInfo).port}`;
  }

  /** Builds stripe-mock into the cache when it is missing there. Throws without Go. */
  static async start(): Promise<StripeMock> {
    const path = await cachedProgram(program.name, { report: () => undefined }, async (target, logFile) => {
      const go = findGo();
      if (go === undefined) throw new Error('Go is missing: stripe-mock cannot be built');
      await goInstall(go, program, target, logFile, { report: () => undefined });
    });
    const [port = 0, httpsPort = 0] = await freePorts(2);
    const child = spawn(path, ['-http-port', String(port), '-https-port', String(httpsPort)], {
      stdio: 'ignore',
    });
    await answers(`http://127.0.0.1:${port}/v1/account`);
    const calls: JudgedCall[] = [];
    const relay = createServer((request, response) => {
      void (async () => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk as Buffer);
        const { method = 'GET', url = '/' } = request;
        const headers = Object.fromEntries(
          Object.entries(request.headers).filter(
            ([name]) => !['host', 'connection', 'content-length', 'transfer-encoding'].includes(name),
          ),
        ) as Record<string, string>;
        const answer = await fetch(`http://127.0.0.1:${port}${url}`, {
          method,
          headers,
          ...(chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}),
        });
        const body = await answer.text();
        calls.push({ call: `${method} ${url.replace(/\?.*/, '')}`, status: answer.status, body });
        response.writeHead(answer.status, { 'content-type': 'application/json' }).end(body);
      })();
    });
    relay.listen(0, '127.0.0.1');
    await once(relay, 'listening');
    return new StripeMock(child, relay, calls);
  }

  /** Returns the refused calls, and the kinds of all calls. */
  verdict(): { refused: JudgedCall[]; kinds: string[] } {
    const kinds = this.calls.map(({ call }) => call.replaceAll(/\/(pi|du|re|dp)_[^/]+/g, '/:id'));
    return {
      refused: this.calls.filter(({ status }) => status >= 400),
      kinds: [...new Set(kinds)].toSorted(),
    };
  }

  async stop(): Promise<void> {
    this.#relay.close();
    this.#relay.closeAllConnections();
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
  }
}

async function answers(url: string): Promise<void> {
  for (;;) {
    try {
      await fetch(url, { headers: { authorization: 'Bearer sk_test_123' } });
      return;
    } catch {
      await new Promise((resolve) => {
        setTimeout(resolve, 50);
      });
    }
  }
}
