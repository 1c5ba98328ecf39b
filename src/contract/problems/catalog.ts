import { core, type ProblemKind } from './kind.ts'

/** Problems with the records of the catalog. */
export const catalogProblems = {
  'catalog/absent': {
    title: 'Server without a catalog',
    exit: 1,
    status: 404,
    exception: `${core}.ValidationError`,
    advice:
      'Use the address of a landform server, not of its catalog, and start it with another --catalog than off.',
  },
  'catalog/foreign-icon': {
    title: 'Icon of another server',
    exit: 3,
    advice: 'Name icons by name, key or guid.',
  },
  'catalog/interrupted': {
    title: 'Interrupted',
    exit: 130,
    advice: 'Run the command again.',
  },
  'catalog/not-found': {
    title: 'Record not found',
    exit: 1,
    status: 404,
    exception: `${core}.ValidationError`,
    advice: 'Check the id; the record may have been deleted.',
  },
  'catalog/invalid': {
    title: 'Invalid record',
    exit: 1,
    status: 422,
    exception: `${core}.ValidationError`,
    advice: 'Correct the member named in the message.',
  },
  'catalog/name-taken': {
    title: 'Name is not unique',
    exit: 1,
    status: 422,
    exception: `${core}.ValidationError`,
    advice: 'Choose another name, key or guid.',
  },
  'catalog/stale': {
    title: 'Record has changed',
    exit: 1,
    status: 412,
    exception: `${core}.ForbiddenError`,
    advice: 'Read the catalog again and repeat the change.',
  },
} as const satisfies Record<string, ProblemKind>
