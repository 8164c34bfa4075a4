import type { DisputeFile } from '../../db/disputes/dispute-files.ts';
import { maxDisputeFiles } from '../../domain/dispute-file.ts';
import { Field, Form } from '../parts/fields.tsx';
import { Card, Time } from '../parts/parts.tsx';
import type { Frame } from '../parts/view.ts';
import { texts } from '../texts/en.ts';

const text = texts.disputes;

interface FilesProps {
  frame: Frame;
  /** Address of the dispute's page. */
  path: string;
  files: readonly DisputeFile[];
}

/** The files of a dispute. `mayChange`: whether this member can still change the draft. */
export function FilesCard({ mayChange, ...of }: FilesProps & { mayChange: boolean }) {
  const { frame, path, files } = of;
  if (!mayChange && files.length === 0) return null;
  return (
    <Card title={text.files}>
      <p class="quiet-text">{text.filesText}</p>
      <FileList {...of} removable={mayChange} />
      {mayChange && files.length < maxDisputeFiles ? (
        <Form frame={frame} to={`${path}/files`} class="row" encType="multipart/form-data">
          <Field
            label={text.file}
            help={text.fileHelp}
            id="dispute-file"
            name="file"
            type="file"
            accept="application/pdf,image/png,image/jpeg"
            required
          />
          <button type="submit" class="btn" data-variant="outline" data-testid="file-add">
            {text.addFile}
          </button>
        </Form>
      ) : null}
    </Card>
  );
}

/** The files, each with a download link. */
export function FileList({ frame, path, files, removable = false }: FilesProps & { removable?: boolean }) {
  if (files.length === 0) return null;
  return (
    <ul class="files" data-testid="files">
      {files.map(({ id, name, contentType, size, createdAt }) => (
        <li key={id}>
          <a href={`${path}/file?file=${id}`} download={name}>
            {name}
          </a>
          <small class="quiet-text">
            {`${text.fileTypes[contentType]}, ${sizeOf(size)}, `}
            <Time at={createdAt} frame={frame} />
          </small>
          {removable ? (
            <Form frame={frame} to={`${path}/files/remove`}>
              <input type="hidden" name="file" value={id} />
              <button type="submit" class="btn" data-variant="outline" aria-label={text.removeFileOf(name)}>
                {text.removeFile}
              </button>
            </Form>
          ) : null}
        </li>
      ))}
    </ul>
  );
}

const sizeOf = (bytes: number): string =>
  bytes >= 1_048_576
    ? `${(bytes / 1_048_576).toFixed(1)} MB`
    : `${Math.max(1, Math.round(bytes / 1_024))} KB`;
