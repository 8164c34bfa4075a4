import { executedLines, inRanges, linesWithCode, modulesOf } from './covered-lines.ts';

const sum = `import { zero } from './zero.js';
/** Adds. */
export function sum(one, other) {
    if (one < zero)
        return other;
    return one + other;
}
`;

/** The module as webpack bundles it, and another that the bundle's build has changed. */
const bundle = `(() => { var modules = ({

/***/ "./src/domain/sum.js"
/*!***************************!*\\
  !*** the module ***!
  \\***************************/
(module, exports, __webpack_require__) {

"use strict";
__webpack_require__.r(exports);
/* harmony export */ __webpack_require__.d(exports, {
/* harmony export */   sum: () => (/* binding */ sum)
/* harmony export */ });
/* harmony import */ var _zero__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__("./src/zero.js");

/** Adds. */
function sum(one, other) {
    if (one < _zero__WEBPACK_IMPORTED_MODULE_0__.zero)
        return other;
    return one + other;
}


/***/ },

/***/ "./src/workflows/begin.js"
(module, exports, __webpack_require__) {

__webpack_require__.r(exports);
function begin() {
    added();
    count();
}


/***/ }

}); })();
`;

/** Returns a range of the text between two of its parts, both included. */
function range(text: string, from: string, to: string, count: number) {
  const startOffset = text.indexOf(from);
  return { startOffset, endOffset: text.indexOf(to, startOffset) + to.length, count };
}

const counts = {
  functions: [
    { ranges: [{ startOffset: 0, endOffset: bundle.length, count: 1 }] },
    { ranges: [range(bundle, 'function sum', 'return one + other;\n}', 3)] },
    { ranges: [range(bundle, 'function begin', 'count();\n}', 0)] },
    { ranges: [range(bundle, '\n        return other;', 'other;', 0)] },
  ],
};

it('maps the executed lines of a bundle to those of the compiled modules', () => {
  const executed = modulesOf(bundle, executedLines(bundle, counts)).get('domain/sum.js') ?? [];
  const code = linesWithCode(sum);
  expect(code).toEqual([3, 4, 5, 6]);
  expect(code.filter((line) => executed[line - 1] !== true)).toEqual([5]);
});

it('leaves out a line that only the other build has', () => {
  const isAdded = (line: string): boolean => line.includes('added()');
  const executed = modulesOf(bundle, executedLines(bundle, counts), isAdded).get('workflows/begin.js');
  expect(executed?.slice(0, 3)).toEqual([false, false, false]);
  expect(modulesOf(bundle, [], () => false).get('workflows/begin.js')).toHaveLength(
    (executed ?? []).length + 1,
  );
});

it('counts a line as executed when a part of it was', () => {
  const text = 'a() && b();\nc();';
  const ranges = [range(text, 'a()', '\nc();', 1), range(text, '&& b();', '\nc();', 0)];
  expect(executedLines(text, { functions: [{ ranges }] })).toEqual([true, false]);
});

it('counts no comments, imports, re-exports and brackets as code', () => {
  const text =
    "import x from 'x';\nexport { y } from 'y';\n// no\n/*\n no\n */\n\nexport const z = {\n    a: 1,\n};";
  expect(linesWithCode(text)).toEqual([8, 9]);
});

it('prints ranges of numbers', () => {
  expect(inRanges([1, 3, 4, 5, 9, 10])).toBe('1, 3-5, 9-10');
  expect(inRanges([])).toBe('');
});
