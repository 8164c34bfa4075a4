import { Confirmation, isRequested } from '../parts/confirmation.tsx';
import type { Frame } from '../parts/view.ts';
import { texts } from '../texts/en.ts';
import type { EndpointLine } from './list-page.tsx';

const text = texts.webhooks;

/** Properties of a part of an endpoint's page. */
export interface EndpointProps {
  frame: Frame;
  endpoint: EndpointLine;
  /** Address of the endpoint's page. */
  path: string;
}

/** Confirms an action after which the endpoint receives nothing, or needs another secret. */
export function EndpointConfirmation({ frame, endpoint, path }: EndpointProps) {
  const { url } = endpoint;
  if (isRequested(frame, 'rotate')) {
    return (
      <Confirmation
        frame={frame}
        back={path}
        question={text.rotateQuestion}
        to={`${path}/rotate`}
        yes={text.rotateConfirm}
        danger={false}
      >
        {text.rotateText}
      </Confirmation>
    );
  }
  if (isRequested(frame, 'disable') && endpoint.status === 'enabled') {
    return (
      <Confirmation
        frame={frame}
        back={path}
        question={text.disableQuestion}
        to={`${path}/disable`}
        yes={text.disableConfirm}
      >
        {text.disableText(url)}
      </Confirmation>
    );
  }
  if (isRequested(frame, 'delete')) {
    return (
      <Confirmation
        frame={frame}
        back={path}
        question={text.deleteQuestion}
        to={`${path}/delete`}
        yes={text.deleteConfirm}
      >
        {text.deleteText(url)}
      </Confirmation>
    );
  }
  return null;
}
