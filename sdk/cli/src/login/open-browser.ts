import { spawn } from 'node:child_process';

/** Opens an address in the browser of a person at a terminal, where there is one. Never fails. */
export function openBrowser(url: string): void {
  const opener = openerOf(process.platform, process.env);
  if (opener === null || !process.stderr.isTTY) return;
  const [command, ...args] = opener;
  const child = spawn(command, [...args, url], { detached: true, stdio: 'ignore' });
  child.on('error', () => undefined);
  child.unref();
}

/**
 * Returns the program that opens addresses and its first arguments; null when this computer has no display.
 */
function openerOf(
  platform: NodeJS.Platform,
  environment: NodeJS.ProcessEnv,
): [command: string, ...args: string[]] | null {
  if (platform === 'darwin') return ['open'];
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  const hasDisplay = ['DISPLAY', 'WAYLAND_DISPLAY'].some((name) => (environment[name] ?? '') !== '');
  return hasDisplay ? ['xdg-open'] : null;
}
