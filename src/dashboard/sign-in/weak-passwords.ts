/** The number of a password's characters that are rated, because longer ones take too long. */
const maxCharacters = 64;
/** The best score: more than 10^10 guesses by an attacker who knows how people choose passwords. */
const strong = 4;
/** Words that an attacker would try in a password of this service. */
const ofTheService = ['card', 'cards', 'payment', 'payments', 'card payments', 'cardpayments', 'dashboard'];

/** The estimator with its dictionary: 20 MiB, loaded when a member first chooses a password. */
const estimator = once(async () => {
  const [{ ZxcvbnFactory }, { adjacencyGraphs, dictionary }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ]);
  return new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });
});

/**
 * Whether a password is among the most common ones, or soon guessed by an attacker who knows `about`: names
 * and addresses of the member and the merchant, whole and word by word.
 */
export async function isWeakPassword(password: string, about: readonly string[]): Promise<boolean> {
  const plain = password.normalize('NFKC');
  const known = new Set([...ofTheService, ...about.flatMap(spellings)].filter(({ length }) => length >= 3));
  const { score } = (await estimator()).check(plain.slice(0, maxCharacters), [...known].slice(0, 50));
  return score < strong;
}

/**
 * Returns the spellings of a name or an address: whole, the part before the `@`, its words, and the words
 * joined.
 */
function spellings(text: string): string[] {
  const [local = ''] = text.split('@');
  const words = local.split(/[^\p{L}\p{N}]+/u);
  return [text, local, words.join(''), ...words];
}

/** Returns a function with the result of `make`, which runs at the first call. */
function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | null = null;
  return () => (made ??= { value: make() }).value;
}
