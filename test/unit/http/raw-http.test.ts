import { standardHeaders } from '../../../src/http/server.ts';

it('instructs browsers to use only HTTPS, also for subdomains, in production only', () => {
  const header = 'Strict-Transport-Security';
  expect(standardHeaders('id', true)[header]).toBe('max-age=31536000; includeSubDomains');
  expect(standardHeaders('id', false)).not.toHaveProperty(header);
});
