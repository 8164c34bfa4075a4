import type { Metadata } from 'next';
import type { ReactNode } from 'react';

export const metadata: Metadata = { title: 'Shop' };

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body
        style={{ font: '1.1rem/1.6 system-ui', maxWidth: '32rem', margin: '4rem auto', padding: '0 1rem' }}
      >
        {children}
      </body>
    </html>
  );
}
