import { type PaymentMethod, paymentMethods } from '../../domain/statuses.ts';
import { Checkbox, Form, TextArea } from '../parts/fields.tsx';
import { labelOf } from '../parts/format.ts';
import { Card } from '../parts/parts.tsx';
import type { Frame } from '../parts/view.ts';
import { texts } from '../texts/en.ts';
import { SaveButton, Setting, SettingLink, SettingList } from './setting.tsx';

const text = texts.settings;

/** The settings of what customers see on the checkout page, and of where it can be embedded. */
export function CheckoutCard({
  frame,
  methods,
  working,
  origins,
  typedOrigins,
}: {
  frame: Frame;
  methods: readonly PaymentMethod[];
  /** The methods with which customers can pay; others cannot be chosen. */
  working: readonly PaymentMethod[];
  origins: readonly string[];
  /** The values of a rejected form, one per line. */
  typedOrigins: string | undefined;
}) {
  const may = frame.may('settings');
  const offered = methods.filter((method) => working.includes(method));
  return (
    <Card title={text.sections.checkout} id="checkout">
      <SettingList>
        <SettingLink
          name={text.branding}
          value={text.brandingText}
          href={`${frame.base}/branding`}
          label={text.openBranding}
          testId="branding"
        />
        <Setting name={text.methodsTitle} value={offered.map(labelOf).join(', ')}>
          {may ? <MethodsForm frame={frame} methods={methods} working={working} /> : null}
        </Setting>
        <Setting
          name={text.embedding}
          value={origins.length === 0 ? text.notEmbedded : origins.map(hostOf).join(', ')}
          isOpen={typedOrigins !== undefined}
        >
          {may ? <OriginsForm frame={frame} origins={typedOrigins ?? origins.join('\n')} /> : null}
        </Setting>
      </SettingList>
    </Card>
  );
}

const hostOf = (origin: string): string => origin.replace(/^https?:\/\//, '');

const MethodsForm = ({
  frame,
  methods,
  working,
}: {
  frame: Frame;
  methods: readonly PaymentMethod[];
  working: readonly PaymentMethod[];
}) => (
  <Form frame={frame} to={`${frame.base}/settings/methods`} class="fields">
    <fieldset>
      <legend>{text.methodsLegend}</legend>
      {paymentMethods.map((method) =>
        working.includes(method) ? (
          <Checkbox key={method} name="methods" value={method} checked={methods.includes(method)}>
            {labelOf(method)}
          </Checkbox>
        ) : (
          <UnavailableMethod key={method} method={method} isChosen={methods.includes(method)} />
        ),
      )}
    </fieldset>
    <SaveButton />
  </Form>
);

/** A method that cannot be paid with now. An earlier choice of it is kept. */
const UnavailableMethod = ({ method, isChosen }: { method: PaymentMethod; isChosen: boolean }) => (
  <>
    <Checkbox disabled>
      <span class="quiet-text">
        {labelOf(method)} <small>{method === 'wallet' ? text.noWallets : text.notTaken}</small>
      </span>
    </Checkbox>
    {isChosen ? <input type="hidden" name="methods" value={method} /> : null}
  </>
);

const OriginsForm = ({ frame, origins }: { frame: Frame; origins: string }) => (
  <Form frame={frame} to={`${frame.base}/settings/origins`} class="fields">
    <TextArea
      label={text.origins}
      id="origins"
      name="origins"
      placeholder={text.originsPlaceholder}
      value={origins}
    />
    <SaveButton />
  </Form>
);
