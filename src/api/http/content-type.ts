// RFC 9110, 5.6.2 and 5.6.4. Each step consumes what it matches, so the whole is linear.
const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const parameter = new RegExp(`[ \\t]*;[ \\t]*(?:(${token})=(?:(${token})|"((?:[^"\\\\]|\\\\.)*)"))?`, 'y');

/**
 * Whether a Content-Type header announces a JSON body we read: exactly application/json, parameters allowed,
 * but a charset only if it is utf-8. Nothing is guessed for a missing header. Spec: silent, AMB-26.
 */
export function isJsonContentType(header: string | undefined): boolean {
  const type = /^application\/json/i.exec(header ?? '')?.[0];
  if (header === undefined || type === undefined) return false;
  let at = type.length;
  for (;;) {
    parameter.lastIndex = at;
    const found = parameter.exec(header);
    if (found === null) break;
    const value = found[2] ?? found[3]?.replaceAll(/\\(.)/g, '$1');
    if (found[1]?.toLowerCase() === 'charset' && value?.toLowerCase() !== 'utf-8') return false;
    at = parameter.lastIndex;
  }
  return /^[ \t]*$/.test(header.slice(at));
}
