import { UploadSchema } from '../bodies/resource.ts'
import { annotate, type ClassDescriptor } from '../descriptor.ts'
import { Type } from '../schema/type.ts'

/** Maximum number of files in a file bucket. */
export const maxBucketFiles = 10_000

const guarded = { 'x-wire': true, 'x-write': 'data.write' } as const

/** Class file_bucket. */
export const fileBucket = {
  label: 'File bucket',
  meaning: 'A set of files to download.',
  scopes: ['resource', 'data', 'metadata'],
  parents: ['resource_group'],
  interfaces: [],
  order: 100,
  files: { field: 'files', form: 'list', max: maxBucketFiles },
  links: [{ route: 'file.download', text: 'Download {name}', each: 'files' }],
  members: {
    file_bucket: Type.Object({
      files: Type.Optional(
        Type.Array(
          Type.Object({
            id: Type.Optional(
              Type.String({ writeOnly: true, description: 'Identifier of the upload of a new file.' }),
            ),
            name: Type.Optional(
              Type.String({
                minLength: 1,
                maxLength: 1000,
                description: 'Path in the bucket; defaults to the name of the upload.',
              }),
            ),
            from: Type.Optional(
              Type.String({
                minLength: 1,
                maxLength: 1000,
                writeOnly: true,
                'x-extension': true,
                description:
                  'Path in the bucket of the file whose content this entry keeps, if it is not `name`.',
              }),
            ),
            mime_type: Type.Optional(
              Type.String({ description: 'Media type; defaults to the type of the upload.' }),
            ),
            size: Type.Optional(Type.Integer({ minimum: 0, description: 'Size in bytes.' })),
            digest: Type.Optional(
              Type.String({ readOnly: true, 'x-extension': true, description: 'SHA-256, in hexadecimal.' }),
            ),
          }),
          {
            ...guarded,
            maxItems: maxBucketFiles,
            'x-key': ['name'],
            'x-read': 'data.read',
            description:
              'Complete list of files: those with an upload are created, the others are kept, by name or from another name.',
          },
        ),
      ),
      archive: Type.Optional(
        annotate(UploadSchema, {
          ...guarded,
          writeOnly: true,
          description: 'Upload of a ZIP archive whose files are added to the listed ones.',
        }),
      ),
    }),
  },
} as const satisfies ClassDescriptor
