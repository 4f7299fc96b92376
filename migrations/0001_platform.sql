-- What the platform itself keeps.

create table vault_canary (
  id     text primary key check (id = 'canary'),
  sealed text not null
);
comment on table vault_canary is 'One encrypted value that is decrypted at every start, so that a wrong encryption key is noticed then. Written by platform.';

create table job_leases (
  job_id     uuid primary key,
  queue      text not null,
  -- Which of the job's tries this is: a worker that lost the job to another one cannot renew or end the other's lease.
  attempt    integer not null,
  expires_at timestamptz not null
);
comment on table job_leases is 'A job that a worker has taken, until when the worker counts as alive. Written by platform.';
