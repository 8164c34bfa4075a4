import { type DeclineLimits, declineLimitNames, mostDeclines } from '../../domain/card-testing.ts';
import { Field, Form } from '../parts/fields.tsx';
import { Card } from '../parts/parts.tsx';
import type { Frame } from '../parts/view.ts';
import { texts } from '../texts/en.ts';

const text = texts.settings;

/** The declines after which pays are refused, which owners set. docs/card-testing.md. */
export function DeclinesCard({ frame, limits }: { frame: Frame; limits: DeclineLimits }) {
  const disabled = !frame.may('team');
  return (
    <Card title={text.declines} id="declines">
      <p class="quiet-text">{text.declinesText}</p>
      <Form frame={frame} to={`${frame.base}/settings/declines`} class="fields">
        <div class="limits">
          {declineLimitNames.map((name) => (
            <Field
              key={name}
              label={text.declineLimits[name]}
              id={name}
              name={name}
              type="number"
              min={0}
              max={mostDeclines}
              required
              disabled={disabled}
              value={String(limits[name])}
            />
          ))}
        </div>
        <div class="actions">
          <button type="submit" disabled={disabled}>
            {texts.common.save}
          </button>
        </div>
      </Form>
    </Card>
  );
}
