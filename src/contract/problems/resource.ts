import { core, type ProblemKind, resource } from './kind.ts'

/** Problems with resources. */
export const resourceProblems = {
  'resource/not-found': {
    title: 'Resource not found',
    exit: 1,
    status: 404,
    exception: `${resource}.ResourceNotFound`,
    meansException: true,
    advice: 'Check the id.',
  },
  'resource/hierarchy': {
    title: 'Hierarchy error',
    exit: 1,
    status: 422,
    exception: `${resource}.HierarchyError`,
    advice: 'Choose another parent.',
  },
  'resource/name-taken': {
    title: 'Display name is not unique',
    exit: 1,
    status: 422,
    exception: `${resource}.DisplayNameNotUnique`,
    advice: 'Choose another display name, or another parent.',
  },
  'resource/key-taken': {
    title: 'Key name is not unique',
    exit: 1,
    status: 422,
    exception: `${core}.ValidationError`,
    advice: 'Choose another keyname; it may belong to a resource that you cannot read.',
  },
  'resource/class-disabled': {
    title: 'Class not implemented',
    exit: 1,
    status: 501,
    exception: `${resource}.ResourceDisabled`,
    advice: 'Use a version of the server that supports the class.',
  },
  'resource/interface': {
    title: 'Interface not supported',
    exit: 1,
    status: 422,
    exception: `${resource}.ResourceInterfaceNotSupported`,
    advice: 'Use a resource that supports it.',
  },
  'resource/referenced': {
    title: 'Resource is referenced',
    exit: 1,
    status: 409,
    exception: `${core}.ForbiddenError`,
    advice: 'Change or delete the referring resources first.',
  },
  'resource/protected': {
    title: 'Resource is protected',
    exit: 1,
    status: 409,
    exception: `${core}.ForbiddenError`,
    advice: 'Remove the resmeta item landform.protect first.',
  },
  'resource/stale': {
    title: 'Resource has changed',
    exit: 1,
    status: 412,
    exception: `${core}.ForbiddenError`,
    meansStatus: true,
    advice: 'Read the resource again and repeat the change.',
  },
} as const satisfies Record<string, ProblemKind>
