/*
 * Who may refresh a session, when two processes share it: the protocol of Sources/Ostiary/Coordination as a model that
 * spin checks for every order of events (`make model`).
 *
 * Two processes take turns by a lock; the store has one value; the server uses a refresh token up for the next one. A
 * process may die at any step, an answer may be lost on its way or fail a check, a store may fail, and a person may sign out
 * at any time. Sign-out takes no turn: it removes the value at once, whoever is refreshing.
 *
 * Of an answer that fails a check the refresh token is stored and nothing is handed out. A process that could not store a
 * refresh token holds it, stores it before anything else, and does not present the one before.
 *
 * Each mistake below is a macro; `make model` shows that spin finds a run that breaks a rule with each of them.
 */

#define PROCESSES 2
#define REFRESHES 2       /* by each of them */
#define LAST 6            /* The server gives tokens 1 to LAST. */
#define NOTHING 0

/* The store: the refresh token, how often it was written, and whether a request with it may be on its way. */
byte stored = 1;
byte revision = 0;
bool marked = false;
bool signedOut = false;

/* The lock: who has it; 0 for nobody. */
byte owner = 0;

/* The server: which token is good. */
byte good = 1;

/* What is known of each token, for the rules. */
bool shown[LAST + 2];
/* Whether somebody knows that the token is used up: its answer has come, and whoever got it is alive. */
bool known[LAST + 2];

byte deaths = 0;
byte losses = 0;
byte failures = 0;
byte checks = 0;
byte asked = 0;
byte answered = 0;

#define MOST_DEATHS 2
#define MOST_LOSSES 2
#define MOST_FAILURES 1
#define MOST_CHECKS 1

/* The tokens whose answers have passed every check. */
bool usable[LAST + 2];

/* Store `value` if what was read is still there: a look and a write that nobody comes between. */
inline swap(value, isMarked, isDone) {
    atomic {
        if
#ifdef NO_COMPARISON
        :: true ->
#else
        :: stored == read && revision == readRevision && !(stored == NOTHING) ->
#endif
            /* No older token replaces a newer one. */
            assert(value >= stored);
            /* After a sign-out nothing is stored. */
            assert(!signedOut);
            stored = value;
            marked = isMarked;
            revision++;
            readRevision = revision;
            isDone = true
#ifndef NO_COMPARISON
        :: else -> isDone = false
#endif
        fi
    }
}

/* A caller gets a token: it was stored by then, unless a sign-out came after that, and its answer passed every check. */
inline handOut(value) {
    atomic { assert(stored >= value || signedOut); assert(usable[value]) }
}

/* A process that refreshes some times, and may die and start again. */
proctype Client(byte me) {
    byte read = 1;
    byte readRevision = 0;
    byte fresh = 0;
    bool isMarked = false;
    bool isDone = false;
    bool isUncertain = false;
    bool isUsable = true;
    /* A token that could not be stored, and the one that it took the place of. */
    byte held = NOTHING;
    byte replaced = NOTHING;
    byte turns = 0;

begin:
    atomic { asked++; turns++ }
#ifdef NO_REREADING
    atomic { read = stored; readRevision = revision; isUncertain = marked }
#endif
    /* The lock. A dead owner does not block: the system gives it back. */
#ifndef NO_LOCK
    atomic { owner == 0 -> owner = me }
#endif
    /* The store is read again under the lock. */
#ifdef NO_REREADING
    skip;
#else
    atomic { read = stored; readRevision = revision; isUncertain = marked }
#endif
    if
    :: read == NOTHING -> goto done
    :: read >= LAST -> goto done
    :: else
    fi;

#ifndef SUCCESSOR_FORGOTTEN
    /* What is held is stored first, unless the store has another successor by now. */
    if
    :: held != NOTHING && read == replaced ->
        swap(held, false, isDone);
        if
        :: isDone && usable[held] -> handOut(held); held = NOTHING
        :: isDone && !usable[held] -> held = NOTHING
        :: else
        fi;
        goto done
    :: else
    fi;
#endif

    /* The mark is stored before the token leaves. */
#ifdef NO_MARK
    isDone = true;
#else
#ifdef NO_REREADING
    /* Who does not read again does not compare either. */
    atomic { if :: stored != NOTHING -> marked = true; revision++; readRevision = revision :: else fi; isDone = true };
#else
    swap(read, true, isDone);
#endif
#endif
    if
    :: !isDone -> goto done
    :: else
    fi;
    if
    :: atomic { deaths < MOST_DEATHS -> deaths++; goto died }
    :: skip
    fi;

    /* The request. */
    atomic {
        /* A token is shown twice only if nobody knows what came of it the first time. */
        assert(!shown[read] || (!known[read] && isUncertain));
        /* Who holds the successor does not present the predecessor. */
        assert(held == NOTHING || read != replaced);
        held = NOTHING;
        shown[read] = true;
        if
        :: good == read -> good++; fresh = good; known[read] = true
        /* The server takes a repetition whose answer was lost, and gives the successor again. */
        :: good == read + 1 && isUncertain -> fresh = good; known[read] = true
        :: else -> fresh = NOTHING
        fi
    }
    if
    /* The process dies before it can store the answer. */
    :: atomic { deaths < MOST_DEATHS -> deaths++; known[read] = false; goto died }
    /* The answer is lost: the mark stays. */
    :: atomic { losses < MOST_LOSSES -> losses++; known[read] = false }; goto done
    :: skip
    fi;
    if
    :: fresh == NOTHING -> goto done
    :: else
    fi;

    /* An answer may fail a check. */
    if
    :: atomic { checks < MOST_CHECKS -> checks++; isUsable = false }
    :: atomic { isUsable = true; usable[fresh] = true }
    fi;
#ifdef UNUSABLE_DROPPED
    if
    :: !isUsable -> goto done
    :: else
    fi;
#endif
    /* The store fails: nobody else can know the token that this process holds. */
    if
    :: atomic {
            failures < MOST_FAILURES -> failures++; held = fresh; replaced = read; known[read] = false
        }
        goto done
    :: skip
    fi;

    /* Stored first, handed out then. */
#ifdef HANDED_OUT_FIRST
    handOut(fresh);
#endif
    swap(fresh, false, isDone);
#ifdef UNUSABLE_HANDED_OUT
    isUsable = true;
#endif
    /* What could not be stored is handed out to nobody, and revoked: the session is over, or another one's. */
    if
    :: isDone && isUsable -> handOut(fresh)
    :: isDone && !isUsable -> skip
    :: else -> known[read] = false
    fi;

done:
#ifndef NO_LOCK
#ifndef NO_RELEASE
    atomic { if :: owner == me -> owner = 0 :: else fi }
#endif
#endif
    atomic { answered++ }
    if
    :: turns < REFRESHES -> goto begin
    :: else -> goto over
    fi;

died:
    /* The system gives the lock back, and the next start finds what is stored. */
    atomic { if :: owner == me -> owner = 0 :: else fi; asked--; turns--; isDone = false; fresh = 0; held = NOTHING }
    goto begin;

over:
    skip
}

/* The person signs out: what is stored is removed without waiting for anybody. */
proctype Person() {
    if
    :: atomic { stored = NOTHING; marked = false; revision++; signedOut = true }
    :: skip
    fi
}

init {
    atomic {
        byte number = 1;
        do
        :: number <= PROCESSES -> run Client(number); number++
        :: else -> break
        od;
        run Person()
    }
    /* Nobody waits for ever: every process comes to its end, in every order (and a dead end is an error of spin's own). */
    _nr_pr == 1 -> assert(asked == answered);
    assert(!signedOut || stored == NOTHING)
}
