import type { PaymentRecord } from '../../domain/payment.ts';
import { Card } from '../parts/parts.tsx';
import type { Frame } from '../parts/view.ts';
import { NoPayments, PaymentTable } from '../payments/list-page.tsx';
import { texts } from '../texts/en.ts';
import { Attention, type AttentionData } from './attention.tsx';
import { Figures, type FiguresData, type Range } from './figures.tsx';
import { SetUp, type SetUpProgress } from './set-up.tsx';

const text = texts.home;

export interface HomeData {
  attention: AttentionData;
  range: Range;
  /** Null if the sums took too long. */
  figures: FiguresData | null;
  /** Null after the first live payment. */
  progress: SetUpProgress | null;
  newest: readonly PaymentRecord[];
}

/** What needs attention, the figures of a range, and the newest payments. */
export function HomePage({ frame, data }: { frame: Frame; data: HomeData }) {
  return (
    <>
      <Attention frame={frame} data={data.attention} />
      <Figures frame={frame} range={data.range} data={data.figures} />
      {data.progress === null ? null : <SetUp frame={frame} progress={data.progress} />}
      <Card title={text.recentPayments} aside={<a href={`${frame.base}/payments`}>{text.viewAll}</a>}>
        {data.newest.length === 0 ? (
          <NoPayments frame={frame} />
        ) : (
          <PaymentTable frame={frame} payments={data.newest} />
        )}
      </Card>
    </>
  );
}
