import type { DeclineLimits } from '../../domain/card-testing.ts';
import type { PaymentMethod } from '../../domain/statuses.ts';
import { FieldError, useFieldState } from '../parts/field-error.tsx';
import { Form } from '../parts/fields.tsx';
import { Card } from '../parts/parts.tsx';
import type { Frame } from '../parts/view.ts';
import { texts } from '../texts/en.ts';
import { CheckoutCard } from './checkout.tsx';
import { ConnectorCard } from './connector.tsx';
import { LimitsCard } from './limits.tsx';
import { MailCard, type MailView } from './mail.tsx';
import { OwnPagesCard } from './own-pages.tsx';
import { SaveButton, Setting, SettingList } from './setting.tsx';

const text = texts.settings;

/** A merchant's settings in one environment. */
export interface SettingsView extends DeclineLimits {
  methods: readonly PaymentMethod[];
  customMode: boolean;
  customActions: boolean;
  embeddingOrigins: readonly string[];
  timeZone: string;
  refundApprovalCents: number | null;
  refundLate: boolean;
}

/** The values of a rejected form, to be corrected. */
export interface TypedSettings {
  origins?: string;
  timeZone?: string;
  refundApproval?: string;
  /** Set if the form of the declines was rejected; that form shows the stored values. */
  declines?: true;
}

/** The sections in their order, each with its fragment. */
const sections = [
  ['provider', text.sections.provider],
  ['checkout', text.sections.checkout],
  ['mail', text.sections.mail],
  ['limits', text.sections.limits],
  ['times', text.sections.times],
  ['own-pages', text.sections.ownPages],
] as const;

export function SettingsPage({
  frame,
  settings,
  typed,
  connector,
  mail,
}: {
  frame: Frame;
  settings: SettingsView;
  typed: TypedSettings;
  connector: Omit<Parameters<typeof ConnectorCard>[0], 'frame'>;
  mail: MailView;
}) {
  return (
    <div class="settings">
      <nav class="settings-nav" aria-label={text.onThisPage}>
        {sections.map(([id, name]) => (
          <a key={id} href={`#${id}`}>
            {name}
          </a>
        ))}
      </nav>
      <div class="stack">
        {frame.may('settings') ? null : <p class="alert notice">{text.readOnly}</p>}
        <ConnectorCard frame={frame} {...connector} />
        <CheckoutCard
          frame={frame}
          methods={settings.methods}
          working={connector.working}
          origins={settings.embeddingOrigins}
          typedOrigins={typed.origins}
        />
        <MailCard frame={frame} mail={mail} />
        <LimitsCard
          frame={frame}
          refundApprovalCents={settings.refundApprovalCents}
          typedApproval={typed.refundApproval}
          refundsLate={settings.refundLate}
          declines={settings}
          areDeclinesRefused={typed.declines === true}
        />
        <TimesCard frame={frame} timeZone={settings.timeZone} typed={typed.timeZone} />
        <OwnPagesCard frame={frame} customMode={settings.customMode} customActions={settings.customActions} />
      </div>
    </div>
  );
}

/** The zones that the field suggests. Any other zone that the platform knows can be typed. */
const timeZones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];

function TimesCard({
  frame,
  timeZone,
  typed,
}: {
  frame: Frame;
  timeZone: string;
  /** The value of a rejected form. */
  typed: string | undefined;
}) {
  const chosen = typed ?? timeZone;
  return (
    <Card title={text.sections.times} id="times">
      <SettingList>
        <Setting name={text.timeZone} value={timeZone} isOpen={typed !== undefined}>
          {frame.may('settings') ? (
            <Form frame={frame} to={`${frame.base}/settings/time-zone`} class="fields">
              <ZoneChoice chosen={chosen} />
              <SaveButton />
            </Form>
          ) : null}
        </Setting>
      </SettingList>
    </Card>
  );
}

function ZoneChoice({ chosen }: { chosen: string }) {
  const { attributes, error } = useFieldState('time-zone', 'time-zone-help');
  return (
    <div class="field">
      <label for="time-zone">{text.timeZone}</label>
      <select class="w-full" id="time-zone" name="timeZone" {...attributes}>
        {(timeZones.includes(chosen) ? timeZones : [chosen, ...timeZones]).map((zone) => (
          <option key={zone} selected={zone === chosen}>
            {zone}
          </option>
        ))}
      </select>
      <FieldError id="time-zone" error={error} />
      <small id="time-zone-help" class="help">
        {text.timeZoneHelp}
      </small>
    </div>
  );
}
