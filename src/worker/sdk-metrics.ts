import { createServer } from 'node:net';
import { request } from 'undici';

/** Temporal's SDK listens here. It cannot choose a free port itself, and serves this machine only. */
const host = '127.0.0.1';

/** Longest wait for the SDK's text, in ms. A scrape continues without it. */
const waitMs = 40;

/** Histograms that cost many series and add little to the others. */
const leftOut =
  /^(# (HELP|TYPE) )?temporal_((long_)?request|(local_)?activity_succeed_endtoend)_latency_seconds/;

/** The most lines of values, so that a process's metrics stay bounded even if a later SDK has more types. */
const maxLines = 900;

/** The boundaries, in seconds. They are few, because each is a series of every queue and type. */
const boundaries = [0.01, 0.1, 0.5, 1, 5, 30];
const histograms = [
  'activity_execution_latency',
  'activity_schedule_to_start_latency',
  'local_activity_execution_latency',
  'workflow_endtoend_latency',
  'workflow_task_execution_latency',
  'workflow_task_replay_latency',
  'workflow_task_schedule_to_start_latency',
];

/** Temporal's SDK metrics of this process: the option that enables them, and the reader of their text. */
export interface SdkMetrics {
  options: {
    attachServiceName: false;
    prometheus: {
      bindAddress: string;
      countersTotalSuffix: true;
      unitSuffix: true;
      useSecondsForDurations: true;
      histogramBucketOverrides: Record<string, number[]>;
    };
  };
  /** Returns an empty text when the SDK does not answer in time. */
  text: () => Promise<string>;
}

/** Returns the SDK metrics of this process, on a free port of this machine. */
export async function createSdkMetrics(): Promise<SdkMetrics> {
  const port = await freePort();
  return {
    options: {
      attachServiceName: false,
      prometheus: {
        bindAddress: `${host}:${port}`,
        countersTotalSuffix: true,
        unitSuffix: true,
        useSecondsForDurations: true,
        histogramBucketOverrides: Object.fromEntries(
          histograms.map((name) => [`temporal_${name}`, boundaries]),
        ),
      },
    },
    text: () => read(`http://${host}:${port}/metrics`).catch(() => ''),
  };
}

async function read(url: string): Promise<string> {
  const { statusCode, body } = await request(url, { signal: AbortSignal.timeout(waitMs) });
  const text = await body.text();
  if (statusCode !== 200) return '';
  return boundedText(text);
}

/** Returns the text without the left-out histograms, and with a bounded number of values. */
export function boundedText(text: string): string {
  let left = maxLines;
  return text
    .split('\n')
    .filter((line) => !leftOut.test(line) && (line.startsWith('#') || (left -= 1) >= 0))
    .join('\n');
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, host, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
