import { tokens } from '../../checkout-page/assets.ts';

/** The style sheet of the reference. In code, so that it is served from wherever the service runs. */
export const referenceStyle = `${tokens}
html { background: var(--paper); scroll-padding-top: 1rem; }
body { margin: 0 auto; max-width: 84rem; padding: 1.5rem; }
h1 { margin: 0.5rem 0; font-size: 1.75rem; line-height: 1.25; letter-spacing: -0.01em; }
a { color: var(--accent); text-underline-offset: 0.2em; }
nav ul { list-style: none; margin: 0; padding: 0; columns: 16rem; }
nav li { padding: 0.125rem 0; break-inside: avoid; }
nav h2 { margin: 1.25rem 0 0.25rem; font-size: 0.9375rem; }
nav a { color: var(--quiet); text-decoration: none; }
nav a:hover { color: var(--ink); text-decoration: underline; }
section { border-top: 1px solid var(--soft); padding: 1.25rem 0 1.75rem; }
section p { max-width: 70ch; }
main h2 { margin: 2.5rem 0 1rem; font-size: 1.375rem; }
h3 { margin: 0 0 0.5rem; font-size: 1.125rem; }
h4 { margin: 1.5rem 0 0.375rem; font-size: 0.875rem; }
code, pre { font: 0.875em/1.5 ui-monospace, Menlo, Consolas, monospace; }
.call { margin: 0 0 0.75rem; overflow-wrap: anywhere; }
.method { margin-right: 0.5rem; padding: 0.125rem 0.5rem; border-radius: 0.375rem; background: var(--ground);
  color: var(--accent); font-size: 0.8125rem; font-weight: 650; text-transform: uppercase; }
pre { overflow: auto; max-height: 28rem; padding: 0.875rem 1rem; border-radius: 0.5rem; background: var(--ground); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 0.9375rem; }
th { color: var(--quiet); font-size: 0.8125rem; font-weight: 500; }
th, td { border-top: 1px solid var(--soft); padding: 0.4375rem 1.25rem 0.4375rem 0; text-align: left;
  vertical-align: top; }
td:nth-child(-n + 2) { white-space: nowrap; }
td:nth-child(3) { width: 60%; }
small { color: var(--quiet); }
summary { cursor: pointer; margin-top: 1rem; color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
/* Not side by side: the name of a field above its description. */
@media (max-width: 40rem) {
  body { padding: 1rem; }
  thead { position: absolute; clip-path: inset(50%); }
  tr { display: block; border-top: 1px solid var(--soft); padding: 0.5rem 0; }
  td { display: inline; border: 0; padding: 0 0.75rem 0 0; overflow-wrap: anywhere; }
  td:nth-child(2) { color: var(--quiet); }
  td:nth-child(3) { display: block; width: auto; }
}
@media (min-width: 64rem) {
  body { display: grid; grid-template-columns: 17rem minmax(0, 1fr); gap: 0 3.5rem; }
  header { grid-column: 1 / -1; }
  nav { position: sticky; top: 0; align-self: start; max-height: 100vh; overflow-y: auto; font-size: 0.875rem;
    padding-bottom: 2rem; }
  nav ul { columns: auto; }
  main > h2:first-child { margin-top: 1.25rem; }
}
`;
