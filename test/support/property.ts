import fc from 'fast-check'

/** A fixed seed, so that only a change of the code can break a test. Another number tries other cases. */
fc.configureGlobal({ seed: 20_261_115 })

export { fc }
