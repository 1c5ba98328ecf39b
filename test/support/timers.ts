/** Counts the timers that keep this process running. */
export const countTimers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
