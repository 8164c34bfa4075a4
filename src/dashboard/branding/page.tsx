import { type Branding, type BrandingField, type LogoSlot, logoSlots } from '../../domain/branding.ts';
import { FieldError, useFieldState } from '../parts/field-error.tsx';
import { Field, Form } from '../parts/fields.tsx';
import { Card } from '../parts/parts.tsx';
import type { Frame } from '../parts/view.ts';
import { texts } from '../texts/en.ts';
import { LogoField } from './logo-field.tsx';

const text = texts.branding;

/** The id of the form, to which the inputs beside the preview belong. */
const formId = 'branding';
const frameId = 'branding-preview';

/** The logos that were refused, as addresses of their images. */
export type RefusedLogos = Partial<Record<LogoSlot, string>>;

/** The form for a merchant's branding, beside a preview of the checkout. */
export function BrandingPage({
  frame,
  branding,
  typed,
  logos,
}: {
  frame: Frame;
  branding: Branding;
  /** The values of a refused form, to be corrected. */
  typed: Readonly<Record<string, string>>;
  logos: RefusedLogos;
}) {
  return (
    <>
      {frame.may('settings') ? null : <p class="alert notice">{text.readOnly}</p>}
      <div class="design">
        <BrandingForm frame={frame} branding={branding} typed={typed} logos={logos} />
        <Preview frame={frame} />
      </div>
    </>
  );
}

/** The text fields, with the type of their input. The color has a field of its own. */
const inputs = {
  displayName: 'text',
  statementDescriptor: 'text',
  supportEmail: 'email',
  supportUrl: 'url',
  termsUrl: 'url',
  privacyUrl: 'url',
} as const satisfies Partial<Record<BrandingField, string>>;

/** The links in the foot of the checkout. */
const linkFields = ['supportEmail', 'supportUrl', 'termsUrl', 'privacyUrl'] as const;

function BrandingForm({ frame, branding, typed, logos }: Parameters<typeof BrandingPage>[0]) {
  const valueOf = (name: BrandingField): string => typed[name] ?? branding[name] ?? '';
  return (
    <Card title={text.legend}>
      <Form
        frame={frame}
        to={`${frame.base}/branding`}
        class="fields"
        encType="multipart/form-data"
        id={formId}
        data-preview={frameId}
      >
        <fieldset disabled={!frame.may('settings')} class="fields">
          <legend class="sr-only">{text.legend}</legend>
          <TextField name="displayName" value={valueOf('displayName')} placeholder={frame.merchantName} />
          {logoSlots.map((slot) => (
            <LogoField key={slot} slot={slot} branding={branding} refused={logos[slot] ?? null} />
          ))}
          <ColorField value={valueOf('accent')} />
          <TextField
            name="statementDescriptor"
            value={valueOf('statementDescriptor')}
            help={text.help.statementDescriptor}
          />
          <h3>{text.links}</h3>
          {linkFields.map((name) => (
            <TextField key={name} name={name} value={valueOf(name)} placeholder={text.placeholders[name]} />
          ))}
          <div class="actions">
            <button type="submit" class="btn">
              {texts.common.save}
            </button>
          </div>
        </fieldset>
      </Form>
    </Card>
  );
}

/** A text field of the branding. */
const TextField = ({
  name,
  ...rest
}: {
  name: keyof typeof inputs;
  value: string;
  help?: string;
  placeholder?: string;
}) => <Field label={text.fields[name]} id={`branding-${name}`} name={name} type={inputs[name]} {...rest} />;

/** The color as text, the picker that the script shows beside it, and a sentence on how it is used. */
function ColorField({ value }: { value: string }) {
  const { attributes, error } = useFieldState('branding-accent', 'branding-accent-help');
  return (
    <div class="field">
      <label for="branding-accent">{text.fields.accent}</label>
      <div class="color">
        <input
          type="color"
          aria-label={text.picker}
          data-color-of="branding-accent"
          value={/^#[0-9a-f]{6}$/i.test(value) ? value : '#1d4ed8'}
          hidden
        />
        <input id="branding-accent" type="text" class="input" name="accent" value={value} {...attributes} />
      </div>
      <FieldError id="branding-accent" error={error} />
      <small id="branding-accent-help" class="help" role="status" data-verdict>
        {text.help.accent}
      </small>
    </div>
  );
}

function Preview({ frame }: { frame: Frame }) {
  const address = `${frame.base}/branding/preview`;
  return (
    <Card title={text.preview}>
      <div class="preview-choices">
        <Segments name="size" legend={text.size} options={text.sizes} />
        <Segments name="theme" legend={text.theme} options={text.themes} />
      </div>
      <div class="preview-place">
        <iframe
          id={frameId}
          title={text.previewOf}
          src={address}
          data-address={address}
          tabIndex={-1}
          inert
        />
      </div>
      <p class="quiet-text">{text.previewText}</p>
    </Card>
  );
}

/** A choice that always has a value; at first it is the first option. */
function Segments({
  name,
  legend,
  options,
}: {
  name: string;
  legend: string;
  options: Readonly<Record<string, string>>;
}) {
  return (
    <fieldset class="segments">
      <legend class="sr-only">{legend}</legend>
      {Object.entries(options).map(([value, label], at) => (
        <label key={value}>
          <input type="radio" name={name} value={value} checked={at === 0} form={formId} />
          <span>{label}</span>
        </label>
      ))}
    </fieldset>
  );
}
