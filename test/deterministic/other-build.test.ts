import { withOneCommandMore } from './other-build.ts';

const moduleOf = (name: string, at: number): string => `
/* harmony */ var _temporalio_workflow__WEBPACK_IMPORTED_MODULE_${at}__ = __webpack_require__(/* it */ "x");
async function ${name}Workflow(input) {
    return input;
}`;
const names = ['payment', 'refund', 'dispute', 'sandbox', 'deliverWebhook', 'reconciliation'];

it('adds one command to the start of each workflow that the other build of the chaos harness changes', () => {
  const changed = withOneCommandMore(names.map(moduleOf).join('\n'));
  const lines = changed.split('\n').filter((line) => line.includes('upsertMemo'));
  expect(lines).toHaveLength(5);
  expect(lines[1]).toBe(
    "    _temporalio_workflow__WEBPACK_IMPORTED_MODULE_1__.upsertMemo({ build: 'other' });",
  );
  expect(changed).toContain("upsertMemo({ build: 'other' });\n    return input;");
});

it('refuses a bundle in which a workflow is not found', () => {
  expect(() => withOneCommandMore(moduleOf('payment', 0))).toThrow(
    'workflows begin in 1 places instead of 5',
  );
});
