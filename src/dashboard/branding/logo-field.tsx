import type { Branding, LogoSlot } from '../../domain/branding.ts';
import { logoPath } from '../../checkout-page/shop.ts';
import { Checkbox } from '../parts/fields.tsx';
import { FieldError, useFieldState } from '../parts/field-error.tsx';
import { texts } from '../texts/en.ts';

const text = texts.branding;

/**
 * A file field for one of the two logos, beside the current logo on its background. A dark page without a
 * logo of its own shows the other one, on a light plate.
 */
export function LogoField({
  slot,
  branding,
  refused,
}: {
  slot: LogoSlot;
  branding: Branding;
  /** The address of the image that was refused; null if there is none. */
  refused: string | null;
}) {
  const id = `branding-${slot}`;
  const { attributes, error } = useFieldState(id, `${id}-help`);
  const own = branding[slot];
  const shown = own ?? branding.logo;
  return (
    <div class="field">
      <label for={id}>{text.fields[slot]}</label>
      <div class="logo-slot">
        <span class={slot === 'darkLogo' ? 'logo-ground dark' : 'logo-ground'} data-logo-of={id}>
          {refused !== null ? (
            <img src={refused} alt={text.refused} />
          ) : shown === null ? null : (
            <img
              class={own === null ? 'plate' : undefined}
              src={logoPath(shown)}
              alt={text.current[slot]}
              width={shown.width}
              height={shown.height}
            />
          )}
        </span>
        <input
          id={id}
          name={slot}
          type="file"
          class="input"
          accept="image/png,image/svg+xml"
          {...attributes}
        />
      </div>
      <FieldError id={id} error={error} />
      <small id={`${id}-help`} class="help">
        {text.help[slot]}
      </small>
      {own === null ? null : (
        <div>
          <Checkbox name={`remove-${slot}`} value="on">
            {text.remove[slot]}
          </Checkbox>
        </div>
      )}
    </div>
  );
}
