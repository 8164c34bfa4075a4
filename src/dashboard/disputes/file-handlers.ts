import { createHash } from 'node:crypto';
import { uuidv7 } from 'uuidv7';
import { addDisputeFile, findDisputeFile, removeDisputeFile } from '../../db/disputes/dispute-files.ts';
import type { Database } from '../../db/server/database.ts';
import type { TenantReads } from '../../db/server/tenant-reads.ts';
import { disputeFileName, disputeFileType, maxDisputeFileBytes } from '../../domain/dispute-file.ts';
import { Refusal } from '../../domain/refusals.ts';
import { isUuid } from '../../http/request.ts';
import { catchRefusal, type FormError, formError } from '../parts/form-error.ts';
import type { DashboardRoute } from '../route.ts';
import { texts } from '../texts/en.ts';
import { byOf, type Clock, redirectTo, type Visit } from '../visit.ts';

const text = texts.disputes;

export interface DisputeFilesDeps extends Clock {
  tenants: TenantReads;
  database: Database;
}

/** Sends the dispute's page with the reason why a file was refused. */
type Show = (visit: Visit, why: FormError) => Promise<unknown>;

const idOf = ({ params }: Visit): string => (params['id'] ?? '').toLowerCase();

/** POST /disputes/{id}/files: stores one file with the draft. */
async function add(deps: DisputeFilesDeps, visit: Visit, show: Show) {
  const bytes = Buffer.from(visit.form.get('file') ?? '', 'base64');
  if (bytes.length === 0) return show(visit, formError(text.noFile));
  if (bytes.length > maxDisputeFileBytes) return show(visit, formError(text.fileTooLarge));
  const contentType = disputeFileType(bytes);
  if (contentType === null) return show(visit, formError(text.fileType));
  const name = disputeFileName(visit.form.get('file.name') ?? '', contentType);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const file = { id: uuidv7(), name, contentType, bytes, sha256 };
  const done = await catchRefusal(() =>
    addDisputeFile(deps.database, visit.tenant, idOf(visit), file, byOf(deps, visit)),
  );
  if (!done.ok) return show(visit, done);
  if (done.result !== 'stored') return show(visit, formError(text.noRoom[done.result], 409));
  return redirectTo(visit, `/disputes/${idOf(visit)}`, 'fileAdded');
}

/** POST /disputes/{id}/files/remove: removes a file from the draft. */
async function remove(deps: DisputeFilesDeps, visit: Visit, show: Show) {
  const id = visit.form.get('file') ?? '';
  if (!isUuid(id)) return show(visit, formError(texts.common.refusals.invalid_request, 400));
  const of = { disputeId: idOf(visit), id };
  const done = await catchRefusal(() =>
    removeDisputeFile(deps.database, visit.tenant, of, byOf(deps, visit)),
  );
  return done.ok ? redirectTo(visit, `/disputes/${idOf(visit)}`, 'fileRemoved') : show(visit, done);
}

/** GET /disputes/{id}/file?file=ID: sends the file as a download, which never opens on this origin. */
async function download({ tenants }: DisputeFilesDeps, visit: Visit) {
  const { tenant, query, reply } = visit;
  const id = query.get('file') ?? '';
  const file = isUuid(id)
    ? await tenants.read(tenant, (database) =>
        findDisputeFile(database, tenant, { disputeId: idOf(visit), id }),
      )
    : null;
  if (file === null) throw new Refusal('not_found');
  return reply
    .headers({
      'Content-Type': file.contentType,
      'Content-Disposition': `attachment; filename*=UTF-8''${encodeURIComponent(file.name).replaceAll("'", '%27')}`,
      'Content-Security-Policy': "default-src 'none'; sandbox",
    })
    .send(file.bytes);
}

/** Returns the routes of a dispute's files; `show` sends the dispute's page. */
export const disputeFileRoutes = (deps: DisputeFilesDeps, show: Show): readonly DashboardRoute[] => [
  {
    method: 'GET',
    path: '/disputes/:id/file',
    permission: 'read',
    owns: 'dispute',
    handle: (visit) => download(deps, visit),
  },
  {
    method: 'POST',
    path: '/disputes/:id/files',
    permission: 'dispute',
    owns: 'dispute',
    takesFile: true,
    handle: (visit) => add(deps, visit, show),
  },
  {
    method: 'POST',
    path: '/disputes/:id/files/remove',
    permission: 'dispute',
    owns: 'dispute',
    handle: (visit) => remove(deps, visit, show),
  },
];
