/**
 * Refuses an old Node with one line. Every script imports this first, before syntax that an old Node cannot
 * parse.
 */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(
    `error: Node ${process.versions.node} is too old: install Node 20.19 or newer (https://nodejs.org)\n`,
  );
  process.exit(1);
}
