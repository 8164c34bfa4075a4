import { createInterface } from 'node:readline';
import { refused } from './errors.ts';

const endOfLine = ['\r', '\n'];
const interrupts = ['\u0003', '\u0004'];
const erases = ['\u007F', '\b'];

/** Prompts for a secret without showing what is typed. From a pipe, reads the first line. */
export async function askSecret(question: string): Promise<string> {
  const { stdin, stderr } = process;
  if (!stdin.isTTY) {
    for await (const line of createInterface({ input: stdin })) return line.trim();
    return '';
  }
  stderr.write(question);
  stdin.setRawMode(true);
  try {
    return await readSilently();
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    stderr.write('\n');
  }
}

function readSilently(): Promise<string> {
  const { stdin } = process;
  return new Promise((resolve, reject) => {
    let typed = '';
    const take = (chunk: Buffer): void => {
      for (const character of chunk.toString('utf8')) {
        if (interrupts.includes(character)) return end(() => reject(refused('Nothing was stored.')));
        if (endOfLine.includes(character)) return end(() => resolve(typed.trim()));
        typed = erases.includes(character) ? typed.slice(0, -1) : typed + character;
      }
    };
    const end = (settle: () => void): void => {
      stdin.off('data', take);
      settle();
    };
    stdin.on('data', take);
  });
}
