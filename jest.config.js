/** Two projects: `unit` starts no process; `stack` runs on real PostgreSQL and Temporal (started once, globally). */
const base = {
  testEnvironment: 'node',
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

export default {
  testTimeout: 120_000,
  // Stack tests wait much of their time, for deadlines, killed processes and polls: three fill two cores.
  maxWorkers: 3,
  projects: [
    {
      ...base,
      displayName: 'unit',
      testMatch: ['<rootDir>/test/**/*.test.ts', '<rootDir>/test/**/*.test.tsx'],
      testPathIgnorePatterns: ['/node_modules/', '\\.stack\\.test\\.ts$'],
    },
    {
      ...base,
      displayName: 'stack',
      testMatch: ['<rootDir>/test/**/*.stack.test.ts'],
      // The worker's package loads the bundler; tests run the bundle that the build made, and need not pay for it.
      moduleNameMapper: { '^webpack$': '<rootDir>/test/support/no-bundler.cjs' },
      globalSetup: '<rootDir>/test/support/global-setup.js',
      globalTeardown: '<rootDir>/test/support/global-teardown.js',
    },
  ],
};
