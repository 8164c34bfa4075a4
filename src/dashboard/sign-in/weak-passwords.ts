/** Characters of a password that are looked at: the more, the longer it takes. */
const mostCharacters = 64;
/** The best score there is: more than 10^10 guesses by whoever knows how people choose. */
const strong = 4;
/** What everybody expects in a password of this service. */
const ofTheService = ['card', 'cards', 'payment', 'payments', 'card payments', 'cardpayments', 'dashboard'];

/** The estimator, with its dictionary: 20 MiB that a process has only once somebody chooses a password. */
const estimator = once(async () => {
  const [{ ZxcvbnFactory }, { adjacencyGraphs, dictionary }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ]);
  return new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });
});

/**
 * Whether a password is among the most common ones, or soon guessed by whoever knows how people choose and
 * `about` whom: names and addresses of the member and the merchant, as they are and in their words.
 */
export async function isWeakPassword(password: string, about: readonly string[]): Promise<boolean> {
  const plain = password.normalize('NFKC');
  const known = new Set([...ofTheService, ...about.flatMap(spellings)].filter(({ length }) => length >= 3));
  const { score } = (await estimator()).check(plain.slice(0, mostCharacters), [...known].slice(0, 50));
  return score < strong;
}

/** A name or an address, what stands before its `@`, its words, and these in one. */
function spellings(text: string): string[] {
  const [local = ''] = text.split('@');
  const words = local.split(/[^\p{L}\p{N}]+/u);
  return [text, local, words.join(''), ...words];
}

/** Returns what `make` returns, made when it is first asked for. */
function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | null = null;
  return () => (made ??= { value: make() }).value;
}
