/**
 * Four projects: `unit` starts no process; `stack` runs on real PostgreSQL and Temporal (started once, globally); so does
 * `endurance`, which waits for outages and killed processes and is `npm run test:endurance`, and `nightly`, which makes
 * many of the same: floods, long lists and pictures, `npm run test:nightly`.
 */
const base = {
  testEnvironment: '<rootDir>/test/support/environment.js',
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  transform: {
    '^.+\\.tsx?$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2023',
          parser: { syntax: 'typescript', tsx: true },
          transform: { react: { runtime: 'automatic', importSource: 'preact' } },
        },
        module: { type: 'es6' },
      },
    ],
  },
};

const onServers = {
  ...base,
  // The worker's package loads the bundler; tests run the bundle that the build made, and need not pay for it.
  moduleNameMapper: { '^webpack$': '<rootDir>/test/support/no-bundler.cjs' },
  globalSetup: '<rootDir>/test/support/global-setup.js',
  globalTeardown: '<rootDir>/test/support/global-teardown.js',
};

export default {
  testTimeout: 120_000,
  // Stack tests wait much of their time: on two cores, three at once keep both busy.
  maxWorkers: 3,
  projects: [
    {
      ...base,
      displayName: 'unit',
      testMatch: ['<rootDir>/test/**/*.test.ts', '<rootDir>/test/**/*.test.tsx'],
      testPathIgnorePatterns: ['/node_modules/', '\\.(stack|endurance|nightly)\\.test\\.ts$'],
    },
    { ...onServers, displayName: 'stack', testMatch: ['<rootDir>/test/**/*.stack.test.ts'] },
    { ...onServers, displayName: 'endurance', testMatch: ['<rootDir>/test/**/*.endurance.test.ts'] },
    { ...onServers, displayName: 'nightly', testMatch: ['<rootDir>/test/**/*.nightly.test.ts'] },
  ],
};
