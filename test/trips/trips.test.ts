import { filesOfTrip, notMeasured, tripTable } from './trips.ts';

describe('the measure of trips', () => {
  it('counts the files that every repetition enters, and no file of an unrelated timer', () => {
    const windows = [
      ['src/api/pay', 'src/db/pool'],
      ['src/db/pool', 'src/api/pay', 'src/sweeps/run'],
    ];
    expect(filesOfTrip(windows)).toEqual(['src/api/pay', 'src/db/pool']);
  });

  it('is empty without repetitions', () => {
    expect(filesOfTrip([])).toEqual([]);
  });

  it('names the calls that enter more files than their limit', () => {
    const many = Array.from({ length: 60 }, (_, index) => `src/db/payments/file-${index}`);
    const table = tripTable({ create: ['src/api/app'], pay: many, payment: [], refund: [] });
    expect(table).toContain('create     1 files, within 34: api 1');
    expect(table).toContain('pay       60 files, OVER 50: db/payments 60');
  });

  it('names a call whose process was not measured', () => {
    const files = {
      create: ['src/api/payments/create'],
      pay: ['src/api/payments/pay'],
      payment: ['src/api/payments/read'],
      refund: ['src/api/refunds/write'],
    };
    expect(notMeasured(files)).toEqual(['pay: src/activities/authorize']);
    expect(notMeasured({ ...files, pay: [...files.pay, 'src/activities/authorize'] })).toEqual([]);
  });
});
