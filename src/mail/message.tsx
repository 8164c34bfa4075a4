import MailComposer from 'nodemailer/lib/mail-composer';
import { renderToString } from 'preact-render-to-string';

/** The content of a mail, without markup. */
export interface MailText {
  language: string;
  subject: string;
  title: string;
  /** Shown above everything else, for example that the payment is a test. */
  mark: string | null;
  paragraphs: readonly string[];
  /** The items of the order, each with its amount. */
  lines: readonly (readonly [name: string, amount: string])[];
  facts: readonly (readonly [label: string, value: string])[];
  link: { label: string; url: string } | null;
  after: readonly string[];
}

/** The addressing of a mail. */
export interface MailAddressing {
  id: string;
  createdAt: Date;
  fromName: string;
  from: string;
  to: string;
  replyTo: string | null;
}

/**
 * Returns a message with a plain text and the same content as simple HTML. Its `Message-ID` belongs to the
 * mail and is the same at every try, so that a receiver can recognize a repetition.
 */
export async function composeMessage(addressing: MailAddressing, text: MailText): Promise<Buffer> {
  const { id, createdAt, from, to, replyTo } = addressing;
  const composer = new MailComposer({
    from: { name: oneLine(addressing.fromName), address: from },
    to: { name: '', address: to },
    ...(replyTo === null ? {} : { replyTo: { name: '', address: replyTo } }),
    subject: oneLine(text.subject),
    date: createdAt,
    messageId: `<${id}@${from.slice(from.lastIndexOf('@') + 1)}>`,
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
    text: plainOf(text),
    html: htmlOf(text),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().build();
}

/** Returns a text without line breaks and control characters, so that a header may hold it. */
export const oneLine = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, 250);

/** Texts of merchants and customers stay on one line, so that they cannot look like lines of this service. */
function plainOf({ title, mark, paragraphs, lines, facts, link, after }: MailText): string {
  const blocks = [
    ...(mark === null ? [] : [[mark]]),
    [title],
    ...paragraphs.map((one) => [one]),
    lines.map(([name, amount]) => `${oneLine(name)}  ${amount}`),
    facts.map(([label, value]) => `${label}: ${oneLine(value)}`),
    link === null ? [] : [`${link.label}:`, link.url],
    ...after.map((one) => [one]),
  ];
  return `${blocks
    .filter((block) => block.length > 0)
    .map((block) => block.join('\n'))
    .join('\n\n')}\n`;
}

const font = 'font-family:system-ui,-apple-system,"Segoe UI",Roboto,Helvetica,Arial,sans-serif';
const cell = 'padding:6px 0;border-bottom:1px solid #e5e7eb;vertical-align:top';

function htmlOf({ language, subject, title, mark, paragraphs, lines, facts, link, after }: MailText): string {
  const html = renderToString(
    <html lang={language}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{subject}</title>
      </head>
      <body
        style={`margin:0;padding:24px;background:#f6f7f9;color:#111827;font-size:16px;line-height:1.5;${font}`}
      >
        <div style="max-width:560px;margin:0 auto;padding:24px;background:#ffffff;border-radius:8px">
          {mark === null ? null : <p style="margin:0 0 16px;color:#92400e">{mark}</p>}
          <h1 style="margin:0 0 16px;font-size:20px">{title}</h1>
          {paragraphs.map((one) => (
            <p key={one} style="margin:0 0 16px" dir="auto">
              {one}
            </p>
          ))}
          <Rows of={lines} />
          <Rows of={facts} />
          {link === null ? null : (
            <p style="margin:0 0 16px">
              <a href={link.url} style="color:#1d4ed8">
                {link.label}
              </a>
            </p>
          )}
          {after.map((one) => (
            <p key={one} style="margin:0 0 16px;color:#4b5563;font-size:14px" dir="auto">
              {one}
            </p>
          ))}
        </div>
      </body>
    </html>,
  );
  return `<!doctype html>${html}`;
}

function Rows({ of }: { of: readonly (readonly [string, string])[] }) {
  if (of.length === 0) return null;
  return (
    <table role="presentation" style="width:100%;margin:0 0 16px;border-collapse:collapse">
      {of.map(([name, value], at) => (
        <tr key={at}>
          <td style={`${cell};padding-right:16px`} dir="auto">
            {name}
          </td>
          <td style={`${cell};text-align:right`} dir="auto">
            {value}
          </td>
        </tr>
      ))}
    </table>
  );
}
