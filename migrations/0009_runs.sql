-- A run is a journal: what it was started with, each answer of the model, and the one reply.

create table tool_sets (
  digest     text primary key,
  tools      text not null,
  created_at timestamptz not null default now(),
  -- Sets that no run has used for as long as runs are kept are deleted.
  used_at    timestamptz not null default now()
);
comment on table tool_sets is 'The tools that runs were offered, exactly as the model saw them. Most runs share one set. Written by runs.';

create table runs (
  id                 text primary key,
  trigger            text not null check (trigger in ('webhook', 'schedule', 'watch', 'chat', 'replay', 'test', 'mcp')),
  source_id          text,
  -- In the thread of a message about an event: the webhook or schedule whose limits apply.
  thread_source_id   text,
  event_id           text,
  -- The chat message it answers.
  message_id         text,
  -- The run that a replay is compared with.
  replay_of          text,
  channel_id         text,
  -- Where the reply goes; null is a message of its own.
  thread_id          text,
  -- A dry run changes nothing outside and posts nowhere.
  dry                boolean not null default false,
  -- A dry replay may read from the recording of the run it repeats, so that both saw the same.
  recorded_reads     boolean not null default false,
  -- A run of a rehearsal is in no list and in no figure.
  rehearsal_id       text,
  -- With which revisions it was started; null if nothing had been saved yet.
  source_revision    integer,
  settings_revision  integer,
  -- On whose behalf: decides what the gate allows.
  requester          json not null,
  ceiling            text check (ceiling in ('read', 'write', 'destructive')),
  connector_ids      json,
  allow_silence      boolean not null default false,
  -- `one`: once it has read from one connector, a call of another one asks an admin.
  reads_across       text not null default 'all' check (reads_across in ('all', 'one')),

  -- What was read at the start. A later edit does not change a run that is under way.
  prompt             text not null,
  system             text not null,
  model_provider     text not null,
  model_name         text not null,
  -- The random word around untrusted text.
  delimiter          text not null,
  tool_set           text not null references tool_sets (digest),
  -- What the model is told at the start about the time, the person who asks and what waits for a decision. Kept, so that later
  -- turns of the thread repeat it word for word.
  turn_note          text not null default '',
  -- What it read of a thread that others began, as JSON: the messages, how many were left out, and why it could not be read. Later
  -- turns repeat it word for word and read only what came since.
  thread_context     text,

  status             text not null check (status in ('queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled')),
  error_code         text,
  error_message      text,
  steps              integer not null default 0,
  input_tokens       bigint not null default 0,
  output_tokens      bigint not null default 0,
  -- In the currency of the price table.
  cost               double precision not null default 0,
  -- Time spent working; waiting for people is not work.
  work_ms            bigint not null default 0,
  -- Failed model calls in a row.
  model_failures     integer not null default 0,
  -- Calls of the model that failed: [{seq, startedAt, endedAt, message, retryAt}]. They stay after the run has gone on or ended.
  model_attempts     json not null default '[]',
  -- While a model call is under way and nothing has come for long: since when. Null otherwise.
  model_silent_since timestamptz,
  -- How often a worker took it up since it last made progress. A run that kills its workers must end some time.
  tries              integer not null default 0,
  -- When a run that could not reach its model tries again; null while somebody works on it.
  resume_at          timestamptz,
  -- Whether it has a message that shows its work: `open` while it changes, `sealed` once it shows how the run ended.
  plan               text check (plan in ('open', 'sealed')),

  -- The worker with the highest fence number owns the run until lease_until; nobody else can commit to it.
  fence              bigint not null default 0,
  lease_until        timestamptz,

  -- When the event or message came: the beginning of the wait for a reply.
  asked_at           timestamptz not null,
  created_at         timestamptz not null default now(),
  started_at         timestamptz,
  ended_at           timestamptz,
  erased_at          timestamptz,
  -- What lists are sorted by, known once the run has ended. Columns of their own, so that no step before that changes an index.
  final_cost         double precision generated always as (case when ended_at is not null then cost end) stored,
  took               interval generated always as (ended_at - started_at) stored
);
comment on table runs is 'The agent at work on one event, message or request (states: src/runs/loop/run.ts). Written by runs.';
create index runs_by_source on runs (source_id, id) where source_id is not null;
create index runs_by_channel on runs (channel_id, id);
create index runs_by_event on runs (event_id) where event_id is not null;
create index runs_by_thread on runs (thread_id) where thread_id is not null;
-- One message is answered by one run.
create unique index runs_by_message on runs (message_id) where message_id is not null and not dry;
create index runs_by_tool_set on runs (tool_set);
create index runs_active on runs (id) where status in ('queued', 'running', 'waiting');
create index runs_failed on runs (status, id) where status in ('failed', 'cancelled');
create index runs_failed_of_source on runs (source_id, status, id) where status in ('failed', 'cancelled');
create index runs_failed_of_channel on runs (channel_id, status, id) where status in ('failed', 'cancelled');
-- What a source has spent of its budget is counted without reading its older runs. Without the cost, which changes with every step.
create index runs_of_source_by_age on runs (source_id, created_at) where source_id is not null and not dry;
-- The statistics add runs that ended since their hour was counted.
create index runs_by_end on runs (ended_at) where ended_at is not null;
create index runs_by_cost on runs (final_cost, id) where final_cost is not null and rehearsal_id is null;
create index runs_by_length on runs (took, id) where took is not null and rehearsal_id is null;
create index runs_with_open_plan on runs (id) where plan = 'open';
create index runs_of_rehearsal on runs (rehearsal_id) where rehearsal_id is not null;

create table run_steps (
  run_id         text not null references runs (id) on delete cascade,
  seq            integer not null,
  -- The model's messages and the tool calls in them, as JSON text: key order and numbers stay as they came.
  answer         text not null,
  calls          text not null,
  -- What the model gets back for its calls; written together with the step after it.
  results        text,
  finish_reason  text not null,
  -- Which model answered.
  model_provider text not null default '',
  model_name     text not null default '',
  input_tokens   integer not null default 0,
  output_tokens  integer not null default 0,
  cost           double precision not null default 0,
  model_ms       integer not null default 0,
  started_at     timestamptz not null,
  ended_at       timestamptz not null,
  primary key (run_id, seq)
);
comment on table run_steps is 'One call of the model. Written by runs.';

create table replies (
  run_id     text primary key references runs (id) on delete cascade,
  kind       text not null check (kind in ('answer', 'notice', 'silence')),
  text       text not null,
  state      text not null check (state in ('pending', 'posted', 'withheld')),
  message_id text,
  permalink  text,
  -- Failures to post, and the last one in words, for the operator.
  tries      integer not null default 0,
  problem    text,
  created_at timestamptz not null default now(),
  posted_at  timestamptz
);
comment on table replies is 'The reply of a run, stored before it is posted, so that posting can be tried again without the model. Written by runs.';
create index replies_pending on replies (created_at) where state = 'pending';

create table event_threads (
  source_id  text not null,
  thread_key text not null,
  channel_id text not null references channels on delete cascade,
  -- The first message. No reference: it may be deleted, and then the next event opens another thread.
  message_id text not null,
  opened_at  timestamptz not null default now(),
  -- When a rule marked the first message as resolved; null: it is not marked.
  closed_at  timestamptz,
  primary key (source_id, thread_key, channel_id)
);
comment on table event_threads is 'The thread in which the events of one source with one key are answered. Written by runs.';
create index event_threads_by_age on event_threads (opened_at);

create table model_outages (
  provider       text not null,
  name           text not null,
  since          timestamptz not null default now(),
  -- What the provider said last.
  problem        text not null,
  -- Until then its fallback is asked instead.
  fallback_until timestamptz,
  -- Runs in a row that could not be finished because the model did not answer.
  failed_runs    integer not null default 0,
  -- Since then events that need the model wait, and the model is asked now and then whether it answers.
  held_at        timestamptz,
  probe_at       timestamptz,
  -- Where the beginning was announced, and the end will be.
  channel_id     text,
  primary key (provider, name)
);
comment on table model_outages is 'A model that does not answer at present; the row is deleted when it answers again. Written by runs.';

create table dry_calls (
  call_id          text primary key,
  run_id           text not null references runs (id) on delete cascade,
  capability       text not null check (capability in ('read', 'write', 'destructive')),
  -- `stopped`: it would have been sent or asked for. `refused`: a real run would have been refused it, too.
  answered         text not null check (answered in ('live', 'recorded', 'not_recorded', 'stopped', 'refused')),
  -- What a real run would have done with the call: sent it without asking, asked people, or refused it.
  would            text check (would in ('send', 'ask', 'refuse')),
  -- The call of the original run whose answer it got.
  recorded_call_id text
);
comment on table dry_calls is 'What became of one tool call of a dry run; the input is in its step. Written by runs.';
create index dry_calls_of_run on dry_calls (run_id);

create table thumbs (
  run_id      text not null references runs (id) on delete cascade,
  -- A user; for somebody whose chat account is not linked, the workspace and the account.
  person_id   text not null,
  person_name text not null,
  thumb       text not null check (thumb in ('up', 'down')),
  -- Why it is down, as far as the person has said.
  reason      text,
  note        text,
  rated_at    timestamptz not null default now(),
  primary key (run_id, person_id)
);
comment on table thumbs is 'What one person thinks of the reply of a run. Written by chat.';
create index thumbs_by_kind on thumbs (thumb, run_id);
