import { isRequested } from '../parts/confirmation.tsx';
import { Field, Form, typedValuesOf } from '../parts/fields.tsx';
import { Card, Status } from '../parts/parts.tsx';
import { withMarkup } from '../parts/with-markup.ts';
import type { Frame } from '../parts/view.ts';
import { texts } from '../texts/en.ts';
import { Setting, SettingList } from './setting.tsx';
import { TurnOff } from './turn-off.tsx';

const text = texts.settings;

/** The settings for what the merchant's own pages and backend may do in place of the checkout page. */
export const OwnPagesCard = ({
  frame,
  customMode,
  customActions,
}: {
  frame: Frame;
  customMode: boolean;
  customActions: boolean;
}) => (
  <Card title={text.sections.ownPages} id="own-pages">
    <SettingList>
      <Setting
        name={text.customMode}
        value={<Status of={customMode ? 'enabled' : 'off'} />}
        isOpen={
          isRequested(frame, 'custom-mode-off') ||
          typedValuesOf(frame, `${frame.base}/settings/custom-mode`) !== null
        }
      >
        {frame.may('settings') ? <CustomMode frame={frame} on={customMode} /> : null}
      </Setting>
      <Setting
        name={text.customActions}
        value={<Status of={customActions ? 'enabled' : 'off'} />}
        isOpen={isRequested(frame, 'custom-actions-off')}
      >
        {frame.may('settings') ? <CustomActions frame={frame} on={customActions} /> : null}
      </Setting>
    </SettingList>
  </Card>
);

const CustomActions = ({ frame, on }: { frame: Frame; on: boolean }) => (
  <>
    <p class="quiet-text">{text.customActionsText}</p>
    {on ? (
      <TurnOff frame={frame} of="custom-actions" question={text.customActionsOffQuestion}>
        {withMarkup(text.customActionsOffText, { path: <code>/confirm</code> })}
      </TurnOff>
    ) : (
      <Form frame={frame} to={`${frame.base}/settings/custom-actions`} class="actions">
        <input type="hidden" name="on" value="on" />
        <button type="submit" class="btn">
          {text.turnOn}
        </button>
      </Form>
    )}
  </>
);

function CustomMode({ frame, on }: { frame: Frame; on: boolean }) {
  if (on) {
    return (
      <>
        <p class="quiet-text">{text.customModeOn}</p>
        <TurnOff frame={frame} of="custom-mode" question={text.customModeOffQuestion}>
          {text.customModeOffText}
        </TurnOff>
      </>
    );
  }
  return (
    <>
      <div class="alert callout">
        <strong>{text.pciTitle}</strong>
        <span>{text.pciText}</span>
      </div>
      <Form frame={frame} to={`${frame.base}/settings/custom-mode`} class="fields">
        <input type="hidden" name="on" value="on" />
        <Field
          label={text.customModeConfirm(text.customModePhrase)}
          id="custom-mode-confirm"
          name="confirm"
          required
          autocomplete="off"
          data-testid="custom-mode-confirm"
        />
        <div class="actions">
          <button type="submit" class="btn" data-testid="custom-mode">
            {text.turnOnCustomMode}
          </button>
        </div>
      </Form>
    </>
  );
}
