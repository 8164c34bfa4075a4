/** The style sheet of the reference. In code, so that it is served from wherever the service runs. */
export const referenceStyle = `
:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 18%, transparent); }
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0 auto; max-width: 84rem; padding: 1.5rem; font: 16px/1.55 system-ui, sans-serif; }
nav ul { list-style: none; margin: 0; padding: 0; columns: 16rem; }
nav h2 { margin: 1.2rem 0 0.2rem; font-size: 1rem; }
nav a { text-decoration: none; }
nav a:hover { text-decoration: underline; }
section { border-top: 1px solid var(--line); padding: 1rem 0 1.5rem; }
main h2 { margin-top: 2.5rem; }
h3 { font-size: 1.05rem; overflow-wrap: anywhere; }
h4 { margin: 1.2rem 0 0.3rem; font-size: 0.9rem; }
.method { display: inline-block; min-width: 4.2em; font-weight: 700; text-transform: uppercase; }
code, pre { font: 0.9em/1.5 ui-monospace, monospace; }
pre { overflow: auto; padding: 0.8rem; border: 1px solid var(--line); border-radius: 6px; max-height: 28rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 0.9375rem; }
th, td { border-top: 1px solid var(--line); padding: 0.35rem 1rem 0.35rem 0; text-align: left; vertical-align: top; }
td:nth-child(-n + 2) { white-space: nowrap; }
td:last-child { min-width: 16rem; width: 60%; overflow-wrap: anywhere; }
small { opacity: 0.8; }
summary { cursor: pointer; margin-top: 1rem; }
a:focus-visible, summary:focus-visible { outline: 3px solid Highlight; outline-offset: 2px; }
@media (min-width: 64rem) {
  body { display: grid; grid-template-columns: 17rem minmax(0, 1fr); gap: 0 3rem; }
  header { grid-column: 1 / -1; }
  nav { position: sticky; top: 0; align-self: start; max-height: 100vh; overflow-y: auto; font-size: 0.9375rem; }
  nav ul { columns: auto; }
  main > h2:first-child { margin-top: 1.2rem; }
}
`;
