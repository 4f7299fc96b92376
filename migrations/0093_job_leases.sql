-- A job that a worker has taken, and until when the worker counts as alive. The worker renews it while it works; when it lapses, any
-- other worker returns the job to the queue. Only src/platform/queue writes here.
create table job_leases (
  job_id     uuid primary key,
  queue      text not null,
  -- Which of the job's tries this is: a worker that lost the job to another one cannot renew or end the other's lease.
  attempt    integer not null,
  expires_at timestamptz not null
);

-- When a run that could not reach its model tries again; null while somebody works on it.
alter table runs add column resume_at timestamptz;
