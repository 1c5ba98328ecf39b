import { problem } from '../contract/problems.ts'

/** Creates the Problem of a request that had no turn in time. */
export const databaseBusy = () => problem('database/busy', 'all connections to the database are in use')

/** Creates that of a request whose table had no turn in time. */
export const tableBusy = () => problem('database/busy', 'too many other requests wait for it')

/** Creates that of an export. */
export const exportBusy = () => problem('database/busy', 'too many other exports of features are running')

/** Creates that of a layer or caller that is held after time-outs. */
export const heldBusy = () =>
  problem(
    'database/busy',
    'statements of the layer or of the caller ran into the time limit, so that only few of them run at once',
  )

/** Creates that of a caller whose statement ended with a restart. */
export const restartBusy = (seconds: number) =>
  problem(
    'database/busy',
    `a statement of the caller about this layer could only be ended by a restart of the database; wait ${seconds} s`,
    {
      hint: 'Ask for less: a smaller extent, or a simpler geometry in the filter.',
      data: { retry_after: seconds },
    },
  )
