import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [, , casesPath, samplePath] = process.argv;
const { verifyWebhook } = await import(pathToFileURL(samplePath).href);
const results = JSON.parse(readFileSync(casesPath, 'utf8')).map(({ secret, headers, body }) => {
  try {
    return verifyWebhook(secret, headers, Buffer.from(body)).id;
  } catch {
    return null;
  }
});
process.stdout.write(JSON.stringify(results));
