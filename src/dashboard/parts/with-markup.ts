import type { ComponentChildren } from 'preact';

/** The names of the `{name}` placeholders of a text. */
type Placeholders<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never;

/** Returns a text in which markup replaces the `{name}` placeholders. */
export const withMarkup = <Text extends string>(
  text: Text,
  markup: Readonly<Record<Placeholders<Text>, ComponentChildren>>,
): ComponentChildren =>
  text.split(/\{(\w+)\}/).map((part, index) => (index % 2 === 0 ? part : markup[part as Placeholders<Text>]));
