import { roles } from '../../src/domain/members.ts';
import { environments } from '../../src/domain/statuses.ts';
import { DashboardClient, invitationLink, ownerLink } from '../support/dashboard.ts';
import type { World } from '../support/world.ts';
import { Found } from './found.ts';
import { type Visitor, drawVisit } from './page-requests.ts';
import type { Surface } from './surface.ts';

const sections = [
  '',
  '/payments',
  '/payment-links',
  '/refunds',
  '/disputes',
  '/reports',
  '/webhooks',
  '/developers',
  '/developers/requests',
  '/settings',
  '/branding',
  '/team',
  '/search?q=order',
];
const links = environments
  .flatMap((environment) => sections.map((section) => `/dashboard/${environment}${section}`))
  .concat('/dashboard', '/dashboard/sign-in', '/dashboard/link/x');

/**
 * Returns a merchant's dashboard at `baseUrl`, as a member of each role sees it. When a request signs a
 * member out or removes them, another member with that role takes their place.
 */
export async function dashboardSurface(world: World, baseUrl: string, merchantId: string): Promise<Surface> {
  const members: Visitor[] = [];
  const signedOut = new Set<number>();
  const signIn = async (at: number): Promise<void> => {
    const role = roles[at % roles.length] ?? 'owner';
    const link =
      role === 'owner' ? await ownerLink(world, merchantId) : await invitationLink(world, merchantId, role);
    const client = await DashboardClient.by({ ...world, baseUrl }, link);
    const cookie = [...client.cookies].map((pair) => pair.join('=')).join('; ');
    members[at] = {
      origin: baseUrl,
      name: `dashboard of ${role}`,
      headers: { cookie },
      found: new Found(links),
      mayLeadTo: (location) => /^\/(?:dashboard|openapi\.json|docs|guides)\b/.test(location),
    };
  };
  for (const at of roles.keys()) await signIn(at);
  return {
    async draw(random) {
      const at = random.below(members.length);
      // Until the team has room again, requests come from a signed-out browser.
      if (signedOut.delete(at)) await signIn(at).catch(() => signedOut.add(at));
      const member = members[at];
      if (member === undefined) throw new Error(`no member ${at}`);
      let request = drawVisit(random, member);
      // Every page has that form, so most of the time another request is sent.
      while (request.name.endsWith('/sign-out') && !random.chance(0.02)) request = drawVisit(random, member);
      const { verdict } = request;
      const hasCookie = request.headers['cookie'] !== undefined;
      return {
        ...request,
        verdict(answer) {
          const isRefused =
            answer.status === 401 || answer.headers.get('location')?.includes('/sign-in') === true;
          if (isRefused && hasCookie && members[at] === member) signedOut.add(at);
          return verdict(answer);
        },
      };
    },
  };
}
