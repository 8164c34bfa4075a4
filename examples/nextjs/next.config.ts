import type { NextConfig } from 'next';

const config: NextConfig = {
  // The database's driver is a native module, which cannot be bundled.
  serverExternalPackages: ['@libsql/client', 'libsql'],
  turbopack: { root: import.meta.dirname },
};

export default config;
