import { core, type ProblemKind } from './kind.ts'

/** Problems with rendering. */
export const renderProblems = {
  'render/unsupported': {
    title: 'Resource cannot be rendered',
    exit: 1,
    status: 422,
    exception: `${core}.ValidationError`,
    advice: 'Use a style, a layer, a WMS layer or a base map.',
  },
  'render/too-large': {
    title: 'Image has too much content',
    exit: 1,
    status: 422,
    exception: `${core}.ValidationError`,
    advice: 'Request a smaller extent, or a style that draws less at this scale.',
  },
  'render/timeout': {
    title: 'Rendering took too long',
    exit: 1,
    status: 503,
    exception: `${core}.ExternalServiceError`,
    advice: 'Request a smaller extent, or try again when the server is less busy.',
  },
  'render/busy': {
    title: 'Too many images to render',
    exit: 1,
    status: 503,
    exception: `${core}.ExternalServiceError`,
    isOverload: true,
    advice: 'Repeat the request after the number of seconds in the Retry-After header.',
  },
  'render/failed': {
    title: 'Rendering failed',
    exit: 1,
    status: 503,
    exception: `${core}.ExternalServiceError`,
    advice: 'Try again; if it happens again, report the problem with the request id.',
  },
} as const satisfies Record<string, ProblemKind>
