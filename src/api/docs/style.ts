/** The style sheet of the reference. In code, so that it is served from wherever the service runs. */
export const referenceStyle = `
:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 18%, transparent); }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 68rem; padding: 1.5rem; font: 16px/1.55 system-ui, sans-serif; }
nav ul { columns: 16rem; list-style: none; padding: 0; }
nav a { text-decoration: none; }
section { border-top: 1px solid var(--line); padding: 1rem 0; }
h2 { margin-top: 2.5rem; }
h3 { font-size: 1.05rem; overflow-wrap: anywhere; }
.method { display: inline-block; min-width: 4.2em; font-weight: 700; text-transform: uppercase; }
code, pre { font: 0.9em/1.5 ui-monospace, monospace; }
pre { overflow: auto; padding: 0.8rem; border: 1px solid var(--line); border-radius: 6px; max-height: 28rem; }
table { border-collapse: collapse; width: 100%; }
th, td { border-top: 1px solid var(--line); padding: 0.35rem 0.6rem 0.35rem 0; text-align: left; vertical-align: top; }
summary { cursor: pointer; }
a:focus-visible, summary:focus-visible { outline: 3px solid Highlight; outline-offset: 2px; }
`;
