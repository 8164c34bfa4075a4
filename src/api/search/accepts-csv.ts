/**
 * Returns whether an Accept header prefers CSV: it names `text/csv` with a higher weight than JSON, or with
 * the same weight before it. A wildcard means JSON, the default.
 */
export function acceptsCsv(header: string | undefined): boolean {
  const wanted = (header ?? '').split(',').map((entry, place) => {
    const [type = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase());
    const q = parameters.find((parameter) => parameter.startsWith('q='));
    const weight = q === undefined ? 1 : Number(q.slice(2));
    return { type, weight: Number.isFinite(weight) ? weight : 0, place };
  });
  const csv = wanted.find(({ type }) => type === 'text/csv');
  if (!csv || csv.weight <= 0) return false;
  const json = wanted.find(({ type }) => type === 'application/json');
  if (!json) return true;
  return csv.weight === json.weight ? csv.place < json.place : csv.weight > json.weight;
}
