import Type from 'typebox'
import type { ClassDescriptor } from '../descriptor.ts'

/** Class file_bucket. */
export const fileBucket = {
  label: 'File bucket',
  meaning: 'A set of files to download.',
  scopes: ['resource', 'data', 'metadata'],
  parents: ['resource_group'],
  interfaces: [],
  order: 100,
  members: {
    file_bucket: Type.Object({
      files: Type.Optional(
        Type.Array(
          Type.Object({
            id: Type.Optional(
              Type.String({ writeOnly: true, description: 'Identifier of the upload, for a new file.' }),
            ),
            name: Type.String({ minLength: 1, description: 'File name, with its path in the bucket.' }),
            mime_type: Type.Optional(Type.String({ description: 'Media type.' })),
            size: Type.Optional(Type.Integer({ minimum: 0, description: 'Size in bytes.' })),
          }),
          {
            'x-wire': true,
            'x-key': ['name'],
            'x-read': 'data.read',
            'x-write': 'data.write',
            description: 'The resulting set of files.',
          },
        ),
      ),
    }),
  },
} as const satisfies ClassDescriptor
